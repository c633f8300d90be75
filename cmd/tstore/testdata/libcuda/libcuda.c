// A driver of eight functions, with one GPU: what `tstore devices` asks for, and nothing that a
// kernel needs. $LIBCUDA_INIT is the answer of its cuInit, $LIBCUDA_VERSION its version.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *name, int missing) {
	const char *text = getenv(name);
	return text ? atoi(text) : missing;
}

int cuInit(unsigned flags) { return number("LIBCUDA_INIT", 0); }

int cuGetErrorString(int code, const char **words) {
	*words = code == 803 ? "driver and library do not fit" : NULL;
	return *words ? 0 : 1;
}

int cuDriverGetVersion(int *version) {
	*version = number("LIBCUDA_VERSION", 12090);
	return 0;
}

int cuDeviceGetCount(int *n) {
	*n = 1;
	return 0;
}

int cuDeviceGet(int *device, int n) {
	*device = n;
	return n == 0 ? 0 : 101;
}

int cuDeviceGetName(char *name, int size, int device) {
	strncpy(name, "a GPU in C", size);
	return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
	*bytes = 3UL << 30;
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
	enum { MAJOR = 75, MINOR = 76 };
	*value = attribute == MAJOR ? 9 : 1;
	return attribute == MAJOR || attribute == MINOR ? 0 : 1;
}
