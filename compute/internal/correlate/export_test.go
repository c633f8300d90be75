package correlate

// NumVariants is the number of sets of kernels that this machine has; the last one is in Go.
func NumVariants() int { return len(variants) }

// AddVariant is Add with one of the sets of kernels.
func AddVariant[T Number](variant int, t *Taps[T], sums, rests, x []T) {
	t.add(variants[variant], sums, rests, x, func() bool { return false })
}
