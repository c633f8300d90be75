package tstore

import (
	"container/list"
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/mmapstore"
)

// mappingKey identifies published bytes: a generation of a storage and the
// length that was committed when it was mapped.
type mappingKey struct {
	id      catalog.ID
	gen     uint32
	payload int64
}

// mappings keeps the storages used last mapped, so that opening a tensor
// again costs no system call. It owns one reference of each; tensors own
// theirs. Of each storage it keeps one mapping, the last that was asked for: a
// mapping holds a descriptor, and the disk space of a file that was replaced.
type mappings struct {
	// openFile opens a file of the store, or an adopted one.
	openFile func(name string, flag int, perm fs.FileMode) (*os.File, error)
	limit    int
	// maxFiles and maxMaps are how many descriptors and mappings the process may
	// have for tensors, see mapFile.
	maxFiles, maxMaps int64
	mu                struct {
		sync.Mutex
		byID   map[catalog.ID]*list.Element
		recent *list.List
		closed bool
	}
}

type mapping struct {
	key     mappingKey
	storage *mmapstore.Storage
}

// maxDefaultMappings bounds the mappings kept ready unless Options says more.
const maxDefaultMappings = 1024

// fallbackFiles is taken for the number of descriptors that a process may have
// where the system does not tell.
const fallbackFiles = 1024

func newMappings(dir string, kept, most int) *mappings {
	files := systemFiles()
	open := func(name string, flag int, perm fs.FileMode) (*os.File, error) {
		return fsx.OpenWithin(dir, name, flag, perm)
	}
	m := &mappings{openFile: open, limit: kept, maxFiles: files / shareOfSystem, maxMaps: int64(most)}
	if m.limit <= 0 {
		m.limit = int(min(files/4, maxDefaultMappings))
	}
	if m.maxMaps <= 0 {
		m.maxMaps = systemMaps() / shareOfSystem
	}
	m.mu.byID = map[catalog.ID]*list.Element{}
	m.mu.recent = list.New()
	return m
}

// get returns a storage of the cache, with a reference for the caller, or nil.
func (m *mappings) get(key mappingKey) (*mmapstore.Storage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.mu.byID[key.id]
	if !ok || e.Value.(*mapping).key != key {
		return nil, nil
	}
	m.mu.recent.MoveToFront(e)
	return e.Value.(*mapping).storage.Retain()
}

// put adds a storage, with a reference of its own, and drops what it had of
// that storage, and the one unused for longest when there are too many.
func (m *mappings) put(key mappingKey, s *mmapstore.Storage) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.closed || !keepsMappings {
		return nil
	}
	own, err := s.Retain()
	if err != nil {
		return err
	}
	if e, ok := m.mu.byID[key.id]; ok {
		err = m.dropLocked(e)
	}
	m.mu.byID[key.id] = m.mu.recent.PushFront(&mapping{key, own})
	if m.mu.recent.Len() <= m.limit {
		return err
	}
	return errors.Join(err, m.dropLocked(m.mu.recent.Back()))
}

// mapping returns the payload of a storage, of which path is the file, mapped for reading, with a
// reference for the caller.
func (m *mappings) mapping(path string, st catalog.Storage) (*mmapstore.Storage, error) {
	key := mappingKey{st.ID, st.Gen, st.PayloadBytes}
	if s, err := m.get(key); s != nil || err != nil {
		return s, err
	}
	s, keep, err := m.mapFile(path, st)
	if err != nil || !keep {
		return s, err
	}
	return s, m.put(key, s)
}

// forget drops the mapping of a storage.
func (m *mappings) forget(id catalog.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.mu.byID[id]
	if !ok {
		return nil
	}
	return m.dropLocked(e)
}

// close drops all mappings, and keeps none from now on.
func (m *mappings) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.closed = true
	var errs error
	for m.mu.recent.Len() > 0 {
		errs = errors.Join(errs, m.dropLocked(m.mu.recent.Back()))
	}
	return errs
}

func (m *mappings) dropLocked(e *list.Element) error {
	old := m.mu.recent.Remove(e).(*mapping)
	delete(m.mu.byID, old.key.id)
	return old.storage.Release()
}
