package order

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/mmapstore"
)

// scratch is room for what does not stay in memory, where temporary elements go.
type scratch struct {
	pass     bulk.Pass
	storages []*mmapstore.Storage
	pins     []mmapstore.Pin
	spilled  [2]int64 // the bytes of the last room that are being written out
}

// make returns room that is touched under the guard of storages.
func (s *scratch) make(bytes int64) ([]byte, error) {
	st, err := s.pass.Scratch(bytes)
	if err != nil {
		return nil, fmt.Errorf("make room for %d bytes: %w", bytes, err)
	}
	pin, err := st.Pin()
	if err != nil {
		return nil, errors.Join(err, st.Release())
	}
	s.storages, s.pins = append(s.storages, st), append(s.pins, pin)
	return pin.Bytes(), nil
}

// spill starts to write out bytes of the last room, and waits for the part before it. At most two
// such parts are in memory only.
func (s *scratch) spill(off, n int64) error {
	st := s.storages[len(s.storages)-1]
	err := st.StartWriteback(off, n)
	if err == nil && s.spilled[1] > 0 {
		err = st.WaitWriteback(s.spilled[0], s.spilled[1])
	}
	s.spilled = [2]int64{off, n}
	return err
}

// soon reads bytes of the last room ahead, if they lie in a file. It ignores errors: the code that
// uses the bytes reports them.
func (s *scratch) soon(off, n int64) {
	if st := s.storages[len(s.storages)-1]; st.FileBacked() {
		_ = st.Advise(off, n, mmapstore.WillNeed)
	}
}

func (s *scratch) release() error {
	var errs []error
	for i, st := range s.storages {
		s.pins[i].Unpin()
		errs = append(errs, st.Release())
	}
	return errors.Join(errs...)
}
