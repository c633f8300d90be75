package compute

// spareSize is the number of values that a spare allocates together: those of a short expression.
const spareSize = 8

// A spare hands out values that are allocated several at once, because they are used, and given up,
// together.
type spare[T any] struct{ left []T }

// take returns n zero values.
func (s *spare[T]) take(n int) []T {
	if n > len(s.left) {
		s.left = make([]T, max(n, spareSize))
	}
	taken := s.left[:n:n]
	s.left = s.left[n:]
	return taken
}

// one returns a value that is set to v.
func (s *spare[T]) one(v T) *T {
	p := &s.take(1)[0]
	*p = v
	return p
}
