//go:build cuda && linux

// Each function of the driver jumps to where its slot points. The symbols are hidden: libcuda.so.1
// has its own of the same names, and calls those.
#define SYMBOL(name) \
	.globl name; \
	.hidden name; \
	.type name, @function; \
name: \
	jmp *tstore_slot_##name(%rip); \
	.size name, .-name

	.text
#include "symbols.h"

	.section .note.GNU-stack, "", @progbits
