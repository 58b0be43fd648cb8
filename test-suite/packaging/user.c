// A C program as the plugin leaves it: a weak reference to the runtime, and the anchor that brings the archive in.
#include <stdio.h>

extern int hexrt_fixture(void) __attribute__((weak));
char hexrt_anchor __attribute__((common, visibility("hidden"), used));

int main(void) {
  int step = hexrt_fixture ? hexrt_fixture() : -1;
  printf("%d\n", step);
  return 0;
}
