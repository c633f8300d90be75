// The limit: what a C program with vector instructions and non-temporal stores needs for the same bytes, over
// mappings of the same files. Built by `make bench-peers` with -O3 -march=native.
//
//     limit A.npy B.npy C.npy BYTES
//
// Every file has BYTES of elements behind a header of 4,096 bytes; BYTES is a multiple of 8,192. Then it reads
// lines "KIND THREADS STORES" and answers each with "ok SECONDS CHECK" or "error TEXT". STORES is plain or nt
// (non-temporal). KIND is a stream of float32:
//
//     read     the sum of a
//     read2    the sum of a and b
//     fill     c = 1
//     copy     c = a
//     add      c = a + b
//     update   c += a*b
//     new      a new file, preallocated, mapped, a + b written to it, unmapped and closed
//     newsync  the same with fsync before it is closed
//     again    c = sqrt(a*a + b*b) of the first 10,000 elements, 10,000 times by one thread; SECONDS is the time of one
//
// CHECK is the sum for read and read2, and else the mean of some elements of the result.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEADER 4096
#define MAX_THREADS 64

#if defined(__AVX512F__)
#include <immintrin.h>
typedef __m512 vec;
#define LANES 16
#define load(p) _mm512_loadu_ps(p)
#define store(p, v) _mm512_storeu_ps(p, v)
#define stream(p, v) _mm512_stream_ps(p, v)
#define add(x, y) _mm512_add_ps(x, y)
#define mul(x, y) _mm512_mul_ps(x, y)
#define root(x) _mm512_sqrt_ps(x)
#define set1(x) _mm512_set1_ps(x)
#define fence() _mm_sfence()
#define flush_small() _mm_setcsr(_mm_getcsr() | 0x8040)
#elif defined(__AVX__)
#include <immintrin.h>
typedef __m256 vec;
#define LANES 8
#define load(p) _mm256_loadu_ps(p)
#define store(p, v) _mm256_storeu_ps(p, v)
#define stream(p, v) _mm256_stream_ps(p, v)
#define add(x, y) _mm256_add_ps(x, y)
#define mul(x, y) _mm256_mul_ps(x, y)
#define root(x) _mm256_sqrt_ps(x)
#define set1(x) _mm256_set1_ps(x)
#define fence() _mm_sfence()
#define flush_small() _mm_setcsr(_mm_getcsr() | 0x8040)
#else // vectors of the compiler, without non-temporal stores
typedef float vec __attribute__((vector_size(16)));
#define LANES 4
static inline vec load(const float *p) { vec v; memcpy(&v, p, sizeof v); return v; }
static inline void store(float *p, vec v) { memcpy(p, &v, sizeof v); }
#define stream(p, v) store(p, v)
#define add(x, y) ((x) + (y))
#define mul(x, y) ((x) * (y))
static inline vec root(vec x) { for (int j = 0; j < LANES; j++) x[j] = sqrtf(x[j]); return x; }
static inline vec set1(float x) { return (vec){x, x, x, x}; }
#define fence() ((void)0)
#define flush_small() ((void)0)
#endif

enum kind { READ, READ2, FILL, COPY, ADD, UPDATE, NEW, NEWSYNC, AGAIN, KINDS };
static const char *kind_names[KINDS] = {"read", "read2", "fill", "copy", "add", "update", "new", "newsync", "again"};

#define AGAIN_ELEMENTS 10000
#define AGAIN_RUNS 10000

// part is what one thread does.
struct part {
	enum kind kind;
	int nt;
	const float *a, *b;
	float *c;
	size_t n; // elements, a multiple of 8 vectors
	double sum;
};

static double total(const vec s[8]) {
	double sum = 0;
	for (int k = 0; k < 8; k++) {
		float lanes[LANES];
		store(lanes, s[k]);
		for (int j = 0; j < LANES; j++) sum += lanes[j];
	}
	return sum;
}

static double sum(const float *a, size_t n) {
	vec s[8];
	for (int k = 0; k < 8; k++) s[k] = set1(0);
	for (size_t i = 0; i < n; i += 8 * LANES)
		for (int k = 0; k < 8; k++) s[k] = add(s[k], load(a + i + k * LANES));
	return total(s);
}

// sum2 reads two arrays in step.
static double sum2(const float *a, const float *b, size_t n) {
	vec s[8];
	for (int k = 0; k < 8; k++) s[k] = set1(0);
	for (size_t i = 0; i < n; i += 8 * LANES)
		for (int k = 0; k < 8; k++) s[k] = add(s[k], add(load(a + i + k * LANES), load(b + i + k * LANES)));
	return total(s);
}

// Four vectors are loaded before the first is stored: arrays at equal offsets of a page alias otherwise.
#define LOOP(put, value)                                                                                  \
	for (size_t i = 0; i < n; i += 4 * LANES) {                                                       \
		vec v[4];                                                                                 \
		for (int k = 0; k < 4; k++) { size_t j = i + k * LANES; (void)j; v[k] = (value); }        \
		for (int k = 0; k < 4; k++) put(c + i + k * LANES, v[k]);                                 \
	}

// again goes by five vectors, of which whole groups are the elements.
static void again(const float *a, const float *b, float *c) {
	for (int run = 0; run < AGAIN_RUNS; run++)
		for (size_t i = 0; i < AGAIN_ELEMENTS; i += 5 * LANES) {
			vec v[5];
			for (int k = 0; k < 5; k++) {
				vec x = load(a + i + k * LANES), y = load(b + i + k * LANES);
				v[k] = root(add(mul(x, x), mul(y, y)));
			}
			for (int k = 0; k < 5; k++) store(c + i + k * LANES, v[k]);
		}
}

static void *run_part(void *arg) {
	struct part *p = arg;
	flush_small(); // elements of other types than float take no longer
	const float *a = p->a, *b = p->b;
	float *c = p->c;
	size_t n = p->n;
	vec one = set1(1);
	switch (p->kind) {
	case READ: p->sum = sum(a, n); break;
	case READ2: p->sum = sum2(a, b, n); break;
	case FILL: if (p->nt) LOOP(stream, one) else LOOP(store, one); break;
	case COPY: if (p->nt) LOOP(stream, load(a + j)) else LOOP(store, load(a + j)); break;
	case UPDATE:
		if (p->nt) LOOP(stream, add(load(c + j), mul(load(a + j), load(b + j))))
		else LOOP(store, add(load(c + j), mul(load(a + j), load(b + j))));
		break;
	default: if (p->nt) LOOP(stream, add(load(a + j), load(b + j))) else LOOP(store, add(load(a + j), load(b + j)));
	}
	if (p->nt) fence();
	return NULL;
}

// run_threads cuts the work into equal ranges; the calling thread takes the last.
static double run_threads(struct part whole, int threads) {
	struct part parts[MAX_THREADS];
	pthread_t ids[MAX_THREADS];
	size_t unit = 8 * LANES, units = whole.n / unit, at = 0;
	for (int t = 0; t < threads; t++) {
		size_t end = units * (t + 1) / threads * unit;
		parts[t] = whole;
		parts[t].a += at, parts[t].b += at, parts[t].c += at, parts[t].n = end - at, parts[t].sum = 0;
		at = end;
		if (t == threads - 1 || pthread_create(&ids[t], NULL, run_part, &parts[t])) run_part(&parts[t]), ids[t] = 0;
	}
	double total = 0;
	for (int t = 0; t < threads; t++) {
		if (ids[t]) pthread_join(ids[t], NULL);
		total += parts[t].sum;
	}
	return total;
}

static void *map(const char *path, int flags, int prot, size_t bytes) {
	int fd = open(path, flags);
	if (fd < 0) return NULL;
	struct stat st;
	void *p = MAP_FAILED;
	if (fstat(fd, &st) == 0 && (size_t)st.st_size >= HEADER + bytes) p = mmap(NULL, HEADER + bytes, prot, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : (char *)p + HEADER;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static double mean(const float *c, size_t n) {
	double total = 0;
	size_t count = 0;
	for (size_t i = 0; i < n; i += 4097) total += c[i], count++;
	return isnan(total) ? 0 : total / count; // elements of other types than float may be anything
}

// run_new times everything from creating the file to closing it.
static int run_new(struct part p, int threads, const char *path, double *seconds, double *check) {
	size_t bytes = HEADER + p.n * sizeof(float);
	int failed = 1;
	double start = now();
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
	if (fd < 0) return 1;
	if ((errno = posix_fallocate(fd, 0, bytes)) == 0) {
		char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (base != MAP_FAILED) {
			enum kind kind = p.kind;
			p.kind = ADD, p.c = (float *)(base + HEADER);
			run_threads(p, threads);
			failed = kind == NEWSYNC && fsync(fd);
			double pause = now();
			*check = mean(p.c, p.n);
			start += now() - pause;
			munmap(base, bytes);
		}
	}
	close(fd);
	*seconds = now() - start;
	unlink(path);
	return failed;
}

int main(int argc, char **argv) {
	if (argc != 5) {
		fprintf(stderr, "usage: limit A.npy B.npy C.npy BYTES\n");
		return 2;
	}
	size_t bytes = strtoull(argv[4], NULL, 10);
	float *a = map(argv[1], O_RDONLY, PROT_READ, bytes), *b = map(argv[2], O_RDONLY, PROT_READ, bytes);
	float *c = map(argv[3], O_RDWR, PROT_READ | PROT_WRITE, bytes);
	if (!a || !b || !c || bytes % 8192 || bytes == 0) {
		fprintf(stderr, "limit: cannot map %s, %s and %s of %zu bytes\n", argv[1], argv[2], argv[3], bytes);
		return 1;
	}
	char fresh[4096];
	snprintf(fresh, sizeof fresh, "%s.new-%d", argv[3], getpid());
	printf("ready gcc %s, vectors of %d bytes\n", __VERSION__, LANES * 4);
	fflush(stdout);
	char name[16], stores[16];
	int threads;
	while (scanf("%15s %d %15s", name, &threads, stores) == 3) {
		struct part p = {.kind = KINDS, .nt = !strcmp(stores, "nt"), .a = a, .b = b, .c = c, .n = bytes / sizeof(float)};
		for (int k = 0; k < KINDS; k++)
			if (!strcmp(name, kind_names[k])) p.kind = k;
		double seconds = 0, check = 0;
		if (p.kind == KINDS || threads < 1 || threads > MAX_THREADS) {
			printf("error unknown work %s %d\n", name, threads);
		} else if (p.kind == NEW || p.kind == NEWSYNC) {
			if (run_new(p, threads, fresh, &seconds, &check)) printf("error new file: %s\n", strerror(errno));
			else printf("ok %.9f %.9g\n", seconds, check);
		} else if (p.kind == AGAIN) {
			if (p.n < AGAIN_ELEMENTS) {
				printf("error expected %d elements, found %zu\n", AGAIN_ELEMENTS, p.n);
			} else {
				double start = now();
				again(a, b, c);
				printf("ok %.9f %.9g\n", (now() - start) / AGAIN_RUNS, mean(c, AGAIN_ELEMENTS));
			}
		} else {
			double start = now();
			double total = run_threads(p, threads);
			seconds = now() - start;
			check = p.kind == READ || p.kind == READ2 ? total : mean(c, p.n);
			printf("ok %.9f %.9g\n", seconds, check);
		}
		fflush(stdout);
	}
	return 0;
}
