#include <stdio.h>
int from_static(void);
int from_shared(void);
int main(void) {
  printf("%d %d\n", from_static(), from_shared());
  return 0;
}
