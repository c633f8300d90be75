//go:build !noasm

#include "textflag.h"

// func call(pc, args unsafe.Pointer, n int)
TEXT ·call(SB), NOSPLIT, $8-24
	MOVQ pc+0(FP), R11
	MOVQ args+8(FP), DI
	MOVQ n+16(FP), SI
	CALL R11
	RET
