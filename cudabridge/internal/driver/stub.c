//go:build ignore

// A library with the driver's symbols, for the one link that sees neither the trampolines nor a
// driver: that of gorgonia.org/cu by itself, where cgo looks which symbols its functions need.
#define SYMBOL(name) void name(void) {}
SYMBOL(cuInit)
#include "symbols.h"
