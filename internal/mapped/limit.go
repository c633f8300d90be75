package mapped

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/mmapstore"
)

// A process can have so many descriptors and so many mappings. The tensors that are open take at
// most half of each; the rest is for everything else.
const shareOfSystem = 2

// smallPayload is the size of storages that are read into memory when nothing more can be mapped.
const smallPayload = 64 << 10

// mapFile maps the payload of a storage for reading, in the way that the process has room for. It
// keeps the file open unless half of the descriptors are taken. If half of the mappings are taken,
// it reads a small payload into memory instead. keep reports whether the result may be kept for
// later calls: a copy in memory does not follow changes in place.
func (m *Cache) mapFile(path string, st catalog.Storage) (s *mmapstore.Storage, keep bool, err error) {
	for {
		files, maps := mmapstore.Held()
		o := mmapstore.MapOptions{OpenFile: m.OpenFile, Detach: files >= m.maxFiles, Copy: maps >= m.maxMaps && st.PayloadBytes <= smallPayload}
		o.Detach = o.Detach || o.Copy
		s, err = mmapstore.Map(path, st.HeaderBytes, st.PayloadBytes, mmapstore.ReadOnly, &o)
		if err == nil || !isScarce(err) {
			return s, !o.Copy, err
		}

		// The system has no room: drop one mapping that is not used, and try again.
		dropped, dropErr := m.drop()
		if dropErr != nil {
			return nil, false, errors.Join(err, dropErr)
		}
		if !dropped {
			return nil, false, err
		}
	}
}

// isScarce reports whether the process, or the system, has too many files or mappings.
func isScarce(err error) bool {
	return !errors.Is(err, fs.ErrNotExist) &&
		(errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM))
}

// drop drops a mapping that is kept for the next Get. dropped is false if there is none.
func (m *Cache) drop() (dropped bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.mu.recent.Len() > 0 {
		dropped = true
		err = errors.Join(err, m.dropLocked(m.mu.recent.Back()))
	}
	return dropped, err
}
