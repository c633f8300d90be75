//go:build cuda && linux

#include <stdint.h>

#include "module.h"

int tstore_driver_load_module(CUmodule *module, const char *text, char *log, unsigned size) {
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)size};
	log[0] = 0;
	return cuModuleLoadDataEx(module, text, sizeof options / sizeof *options, options, values);
}
