package fsx

// dataSpans calls fn with the parts of the first n bytes of f that are not holes, in order. It
// moves f's position.
func dataSpans(f File, n int64, fn func(span) error) error {
	for end := int64(0); end < n; {
		start, stop, err := nextData(f, end)
		if err != nil || start >= n {
			return err
		}
		end = min(stop, n)
		if err := fn(span{start, end - start}); err != nil {
			return err
		}
	}
	return nil
}
