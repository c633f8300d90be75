package view

import "fmt"

// Blocks calls fn with the elements of t as packed bytes in C order, in pieces of at most maxBytes
// (at least one element; 0 or less means 1 MiB; pieces are never larger than 1 MiB where elements
// have to be gathered).
//
// Where the layout is contiguous and in host memory, pieces are the storage itself and fn runs under
// the storage's Guard: what fn must not do with mapped bytes is said there. Otherwise they are gathered in one
// buffer. Either way fn must not change b nor keep it. An error of fn ends the walk and is returned
// as it is.
func (t *Tensor) Blocks(maxBytes int, fn func(b []byte) error) error {
	size := t.dt.Size()
	if maxBytes <= 0 {
		maxBytes = moveStep
	}

	seq := newSequence(t.layout, size)
	if seq.isPacked() && t.own.isHost() {
		return t.packedBlocks(&seq, max(1, maxBytes/size), fn)
	}

	// Gather under the guard and call fn outside it: fn may do there what must not be done with
	// mapped bytes.
	count := max(1, min(maxBytes, moveStep)/size)
	buf := make([]byte, min(count, seq.n)*size)
	for first := 0; first < seq.n; first += count {
		n := min(count, seq.n-first)
		if err := t.own.gather(&seq, buf, first, n); err != nil {
			return fmt.Errorf("read tensor: %w", err)
		}

		if err := fn(buf[:n*size]); err != nil {
			return err
		}
	}
	return nil
}

// packedBlocks calls fn with count elements at a time, in place.
func (t *Tensor) packedBlocks(seq *sequence, count int, fn func(b []byte) error) error {
	if seq.n == 0 {
		_, err := t.own.storage()
		return err
	}
	for first := 0; first < seq.n; first += count {
		err := t.own.with(func(b []byte) error {
			return fn(seq.packed(b, first, min(count, seq.n-first)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
