//go:build cuda && linux && !fakecuda

#include <dlfcn.h>
#include <stdio.h>

#include "library.h"

static void *library;

int library_open(char *why, size_t size) {
	library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) snprintf(why, size, "%s", dlerror());
	return library != NULL;
}

void *library_function(const char *name) { return dlsym(library, name); }
