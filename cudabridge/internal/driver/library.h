#include <stddef.h>

// library_open opens the library of the driver. If it returns 0, why says what is wrong.
int library_open(char *why, size_t size);

// library_function returns a function of the open library, or NULL.
void *library_function(const char *name);
