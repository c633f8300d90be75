#include <stdint.h>

// A thread has a stack of contexts, the last of which is current.
struct fakecuda_thread {
	int depth;
	uintptr_t contexts[16];
};

// fakecuda_thread returns the stack of the calling thread.
struct fakecuda_thread *fakecuda_thread(void);

// fakecuda_exported reports whether the program exports a function.
int fakecuda_exported(const char *name);
