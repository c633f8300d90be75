package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/storefile"
)

// Tee gives a collector the bytes of a payload that begins at header in its file. It is nil without
// a collector.
func Tee(sums *blocksum.Collector, header int64) func(p []byte, off int64) {
	if sums == nil {
		return nil
	}
	return func(p []byte, off int64) { sums.Add(p, off-header) }
}

// StageSeal gives a storage, whose lock is held, the seal that has these sums, and returns the file
// that is to be published with it, if there is one.
func (s *Store) StageSeal(st *catalog.Storage, sums []uint64) ([]*Staged, error) {
	// Numbers are not used twice: a file that someone else is about to remove has another name.
	st.Seal = catalog.NewSeal(st.PayloadBytes, sums, 1+uint64(rand.Uint32()))
	if st.Seal.File == 0 {
		return nil, nil
	}
	f, err := s.stageAs(*st, st.SumsFile())
	if err != nil {
		return nil, err
	}
	if _, err := f.File.WriteAt(blocksum.Encode(storefile.SumsHeader(*st), sums), 0); err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return []*Staged{f}, nil
}

// LoadSums returns the sums of a sealed storage. It returns ErrMissing if their file is gone, and
// ErrChecksum if the sums are damaged.
func (s *Store) LoadSums(st catalog.Storage) ([]uint64, error) {
	// Few sums lie in the record itself.
	name := st.SumsFile()
	if name == "" {
		if blocksum.Root(st.Seal.Sums) != st.Seal.Root {
			return nil, fmt.Errorf("%w: storage %v: the sums in its seal are not those that were written", ErrChecksum, st.ID)
		}
		return st.Seal.Sums, nil
	}

	f, err := s.FS.OpenFile(s.Path(name), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s, the checksums of a sealed storage", ErrMissing, s.Path(name))
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()

	sums, err := blocksum.Decode(f, storefile.SumsHeader(st), st.Seal.Root)
	if errors.Is(err, blocksum.ErrFormat) {
		return nil, fmt.Errorf("%w: %s: %w", ErrChecksum, s.Path(name), err)
	}
	return sums, err
}
