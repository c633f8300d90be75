package mapped

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

// Key identifies published bytes: a generation of a storage and the
// length that was committed when it was mapped.
type Key struct {
	ID      catalog.ID
	Gen     uint32
	Payload int64
}

// Cache keeps the storages used last mapped, so that opening a tensor
// again costs no system call. It owns one reference of each; tensors own
// theirs. Of each storage it keeps one mapping, the last that was asked for: a
// Map holds a descriptor, and the disk space of a file that was replaced.
type Cache struct {
	// OpenFile opens a file of the store, or an adopted one, following no link in the store.
	OpenFile func(name string, flag int, perm fs.FileMode) (*os.File, error)
	limit    int
	// maxFiles and maxMaps are how many descriptors and mappings the process may have for tensors,
	// see mapFile.
	maxFiles, maxMaps int64
	mu                struct {
		sync.Mutex
		byID   map[catalog.ID]*list.Element
		recent *list.List
		closed bool
	}
}

type mapping struct {
	key     Key
	storage *mmapstore.Storage
}

// maxDefaultMappings is the largest default number of mappings kept ready. Options can allow more.
const maxDefaultMappings = 1024

// fallbackFiles is taken for the number of descriptors that a process may have where the system
// does not tell.
const fallbackFiles = 1024

// New returns the cache of the store in dir. It keeps so many mappings ready. Small files are read
// into memory instead when the process has most mappings. 0 stands for a share of what the system
// allows.
func New(dir string, kept, most int) *Cache {
	files := Descriptors()
	open := func(name string, flag int, perm fs.FileMode) (*os.File, error) {
		return fsx.OpenWithin(dir, name, flag, perm)
	}
	m := &Cache{OpenFile: open, limit: kept, maxFiles: files / shareOfSystem, maxMaps: int64(most)}
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

func keyOf(st catalog.Storage) Key { return Key{st.ID, st.Gen, st.PayloadBytes} }

// Kept returns the mapping of a storage that is kept, with a reference for the caller, or nil.
func (m *Cache) Kept(st catalog.Storage) (*mmapstore.Storage, error) {
	key := keyOf(st)
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.mu.byID[key.ID]
	if !ok || e.Value.(*mapping).key != key {
		return nil, nil
	}
	m.mu.recent.MoveToFront(e)
	return e.Value.(*mapping).storage.Retain()
}

// put adds a storage with a reference of its own, and drops the older mapping of the same storage.
// If there are too many, it drops the one unused for longest.
func (m *Cache) put(key Key, s *mmapstore.Storage) error {
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.mu.closed || !Keeps {
		return nil
	}

	// Retain before anything is dropped: if it fails, the cache stays as it is.
	own, err := s.Retain()
	if err != nil {
		return err
	}

	if e, ok := m.mu.byID[key.ID]; ok {
		err = m.dropLocked(e)
	}
	m.mu.byID[key.ID] = m.mu.recent.PushFront(&mapping{key, own})

	if m.mu.recent.Len() <= m.limit {
		return err
	}
	return errors.Join(err, m.dropLocked(m.mu.recent.Back()))
}

// Map maps the payload of a storage, of which path is the file, for reading, with a reference for
// the caller, and keeps the mapping.
func (m *Cache) Map(path string, st catalog.Storage) (*mmapstore.Storage, error) {
	s, keep, err := m.mapFile(path, st)
	if err != nil || !keep {
		return s, err
	}
	return s, m.put(keyOf(st), s)
}

// Forget drops the mapping of a storage.
func (m *Cache) Forget(id catalog.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.mu.byID[id]
	if !ok {
		return nil
	}
	return m.dropLocked(e)
}

// Close drops all mappings, and keeps none from now on.
func (m *Cache) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.closed = true
	var errs error
	for m.mu.recent.Len() > 0 {
		errs = errors.Join(errs, m.dropLocked(m.mu.recent.Back()))
	}
	return errs
}

func (m *Cache) dropLocked(e *list.Element) error {
	old := m.mu.recent.Remove(e).(*mapping)
	delete(m.mu.byID, old.key.ID)
	return old.storage.Release()
}
