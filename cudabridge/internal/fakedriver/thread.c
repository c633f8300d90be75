//go:build cuda && fakecuda && linux

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "thread.h"

static _Thread_local struct fakecuda_thread thread;

struct fakecuda_thread *fakecuda_thread(void) { return &thread; }

int fakecuda_exported(const char *name) { return dlsym(RTLD_DEFAULT, name) != NULL; }
