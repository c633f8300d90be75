//go:build cuda && linux

// Each function of the driver jumps to where its slot points. The symbols are hidden: libcuda.so.1
// has its own of the same names, and calls those. x16 is free between a call and the function.
#define SYMBOL(name) \
	.globl name; \
	.hidden name; \
	.type name, %function; \
name: \
	adrp x16, tstore_slot_##name; \
	ldr x16, [x16, :lo12:tstore_slot_##name]; \
	br x16; \
	.size name, .-name

	.text
#include "symbols.h"

	.section .note.GNU-stack, "", %progbits
