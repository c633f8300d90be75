package tstore

import (
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storefile"
)

// leftMark is the mark of a restore that died after it had given the store its name.
func (s *engineStore) leftMark() ([]leftover, error) {
	finished, err := storefile.WasRestored(s.fs, s.dir)
	if err != nil || !finished {
		return nil, err
	}
	busy, err := filelock.Taken(s.lockPath(), restoreLock, filelock.Exclusive)
	if err != nil || busy {
		return nil, err
	}
	return []leftover{{File: storefile.RestoringFile}}, nil
}
