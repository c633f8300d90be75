//go:build cuda && linux && fakecuda

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include "library.h"

// The functions of the fake driver are in the program itself, under names that begin so.
#define PREFIX "fakecuda_"

int library_open(char *why, size_t size) { return 1; }

void *library_function(const char *name) {
	char own[128];
	snprintf(own, sizeof own, PREFIX "%s", name);
	return dlsym(RTLD_DEFAULT, own);
}
