package order

import "github.com/tstore/tstore/compute/internal/exec"

// byChoosing is Select with all keys of the lane in memory. It serves more positions than narrowing
// by bounds is worth.
func byChoosing[K Key](l Lane, at func(numNaN int) []int, run Runner) ([]uint64, error) {
	keys := make([]K, l.N)
	err := run(exec.Chunks(l.chunks(), func() func(chunk int) error {
		r := l.reader()
		return func(chunk int) error {
			b, err := r.fetch(chunk)
			if err == nil {
				Encode(l.Coding, keys[chunk*ChunkElems:][:len(b)/l.Coding.dtype.Size()], b)
			}
			return err
		}
	}), true)
	if err != nil {
		return nil, err
	}

	// The positions depend on the number of NaNs, so they are asked for after the keys are read.
	nan := 0
	for _, k := range keys {
		if l.Coding.IsNaN(uint64(k)) {
			nan++
		}
	}

	positions := at(nan)
	Choose(keys, positions)

	found := make([]uint64, len(positions))
	for i, p := range positions {
		found[i] = uint64(keys[p])
	}
	return found, nil
}
