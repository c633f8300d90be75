#include <stddef.h>

// tstore_driver_load loads the driver, initialises it, and points the slots to its functions. It
// returns 0, the driver's error, or LIBRARY_MISSING; why tells both errors in words.
int tstore_driver_load(char *why, size_t size);

enum { LIBRARY_MISSING = -1 };
