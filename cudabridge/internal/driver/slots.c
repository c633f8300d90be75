//go:build cuda && linux

#include <stdio.h>

#include "library.h"
#include "slots.h"

enum { NOT_INITIALIZED = 3, NOT_SUPPORTED = 801 };

static int notInitialized(void) { return NOT_INITIALIZED; }
static int notSupported(void) { return NOT_SUPPORTED; }

// The slots, which the trampolines jump through.
#define SYMBOL(name) __attribute__((visibility("hidden"))) void *tstore_slot_##name = notInitialized;
#include "symbols.h"
#undef SYMBOL

static const struct {
	const char *name;
	void **slot;
} slots[] = {
#define SYMBOL(name) {#name, &tstore_slot_##name},
#include "symbols.h"
#undef SYMBOL
};

// gorgonia.org/cu calls cuInit when a program starts, and ends the process unless it answers 0.
// The driver's own is called when the driver is loaded.
__attribute__((visibility("hidden"))) int cuInit(unsigned flags) { return 0; }

int tstore_driver_load(char *why, size_t size) {
	if (!library_open(why, size)) return LIBRARY_MISSING;

	int (*init)(unsigned) = library_function("cuInit");
	if (!init) {
		snprintf(why, size, "the library has no function cuInit");
		return LIBRARY_MISSING;
	}
	int code = init(0);
	if (code != 0) {
		const char *words = NULL;
		int (*tell)(int, const char **) = library_function("cuGetErrorString");
		if (tell) tell(code, &words);
		snprintf(why, size, "%s", words ? words : "");
		return code;
	}

	// A function that an old driver lacks answers that it is not supported.
	for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
		void *function = library_function(slots[i].name);
		*slots[i].slot = function ? function : (void *)notSupported;
	}
	return 0;
}
