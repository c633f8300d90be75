package spare

// spareSize is the number of values that a spare allocates together: those of a short expression.
const spareSize = 8

// Values hand out values that are allocated several at once, because they are used, and given up,
// together.
type Values[T any] struct{ left []T }

// Take returns n zero values.
func (s *Values[T]) Take(n int) []T {
	if n > len(s.left) {
		s.left = make([]T, max(n, spareSize))
	}
	taken := s.left[:n:n]
	s.left = s.left[n:]
	return taken
}

// One returns a value that is set to v.
func (s *Values[T]) One(v T) *T {
	p := &s.Take(1)[0]
	*p = v
	return p
}
