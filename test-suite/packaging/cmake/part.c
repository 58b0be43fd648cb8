// Code as the plugin leaves it: a weak reference to the runtime.
#include <stdint.h>
extern uint32_t hexrt_version(void) __attribute__((weak));
int NAME(void) { return hexrt_version != 0; }
