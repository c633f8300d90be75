package window

// rooms are memory for what is made on the way to results.
type rooms[T float] struct {
	turns [2][]T
	turn  int
	taken [][]T
	used  int
}

// next returns n elements that are overwritten by the next call but one.
func (r *rooms[T]) next(n int) []T {
	r.turn ^= 1
	return enough(&r.turns[r.turn], n)
}

// take returns n elements that stay until reset.
func (r *rooms[T]) take(n int) []T {
	if r.used == len(r.taken) {
		r.taken = append(r.taken, nil)
	}
	r.used++
	return enough(&r.taken[r.used-1], n)
}

// reset takes all memory back.
func (r *rooms[T]) reset() { r.used = 0 }

// enough returns n elements of s, which it makes longer where they are too few.
func enough[T float](s *[]T, n int) []T {
	if len(*s) < n {
		*s = make([]T, n)
	}
	return (*s)[:n]
}
