#include <cuda.h>

// tstore_driver_load_module compiles a text for the current context. log is what the compiler says is
// wrong, in at most size bytes.
int tstore_driver_load_module(CUmodule *module, const char *text, char *log, unsigned size);
