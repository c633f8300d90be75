package stream

// A span is the bytes [lo, hi) of a storage.
type span struct{ lo, hi int64 }

func (s span) empty() bool { return s.lo >= s.hi }

func (s span) overlaps(t span) bool { return s.lo < t.hi && t.lo < s.hi }

// around returns the span of both and what is between them.
func (s span) around(t span) span {
	switch {
	case s.empty():
		return t
	case t.empty():
		return s
	}
	return span{min(s.lo, t.lo), max(s.hi, t.hi)}
}

// without returns the parts of s before and behind t.
func (s span) without(t span) [2]span {
	if !s.overlaps(t) {
		return [2]span{s}
	}
	return [2]span{{s.lo, t.lo}, {t.hi, s.hi}}
}

// touches reports whether nothing is between the two.
func (s span) touches(t span) bool { return s.lo <= t.hi && t.lo <= s.hi }

// at returns the spans of a window in an operand: of chunk after chunk, as long as nothing is
// between them.
func (w windows) at(window int, rangeOf func(chunk int) (off, n int64)) []span {
	var spans []span
	first, end := w.chunks(window)
	for chunk := first; chunk < end; chunk++ {
		off, n := rangeOf(chunk)
		s := span{off, off + n}
		switch last := len(spans) - 1; {
		case n <= 0:
		case last >= 0 && spans[last].touches(s):
			spans[last] = spans[last].around(s)
		default:
			spans = append(spans, s)
		}
	}
	return spans
}
