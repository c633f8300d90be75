package engine

import (
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storefile"
)

// leftMark returns the mark of a restore that died after it had given the store its name.
func (s *Store) leftMark() ([]Leftover, error) {
	finished, err := storefile.WasRestored(s.FS, s.Dir)
	if err != nil || !finished {
		return nil, err
	}
	busy, err := filelock.Taken(s.LockPath(), RestoreLock, filelock.Exclusive)
	if err != nil || busy {
		return nil, err
	}
	return []Leftover{{File: storefile.RestoringFile}}, nil
}
