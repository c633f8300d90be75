package tstore

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tstore/tstore/mmapstore"
)

// lifetime is what Close waits for, and what outlives it.
type lifetime struct {
	mu struct {
		sync.Mutex
		// closing refuses new changes while those at work end.
		closing bool
		// writables are the tensors that are open for writing in place.
		writables int
	}
	changes sync.WaitGroup // at work
	// closed refuses everything.
	closed atomic.Bool
	once   sync.Once
	// freeing is held, for reading, by what gives space back in the background.
	freeing sync.RWMutex
}

// slowToFree is the size of a file from which on the system takes long to take
// back its pages and its space.
const slowToFree = 256 << 20

// letGo calls release, which gives back a file of that size without a name. Only
// those who need space wait for a large one, and Close.
func (s *engineStore) letGo(size int64, release func() error) error {
	if size < slowToFree {
		return release()
	}
	s.life.freeing.RLock()
	go func() {
		defer s.life.freeing.RUnlock()
		_ = release()
	}()
	return nil
}

// awaitFreed waits until the space of files that were let go is free.
func (s *engineStore) awaitFreed() {
	s.life.freeing.Lock()
	defer s.life.freeing.Unlock()
}

// shut waits for the changes at work and closes the store. The handle of a transaction it leaves as it
// is. It is idempotent.
func (s *engineStore) shut() (err error) {
	if s.within == nil {
		s.life.once.Do(func() { err = s.close() })
	}
	return err
}

func (s *engineStore) close() error {
	s.life.mu.Lock()
	s.life.mu.closing = true
	s.life.mu.Unlock()
	s.life.changes.Wait()
	s.life.mu.Lock()
	s.life.closed.Store(true)
	last := s.life.mu.writables == 0
	s.life.mu.Unlock()
	s.awaitFreed()
	err := errors.Join(s.maps.Close(), s.images.close())
	if last {
		err = errors.Join(err, s.cat.Close())
	}
	return err
}

// beginChange is the guard of every method that changes the store. Close waits
// until end is called. What runs in between must not begin another change: it
// could be refused.
func (s *engineStore) beginChange() (end func(), err error) {
	if s.within != nil {
		return nil, errWithin
	}
	end, err = s.beginWork()
	if err != nil {
		return nil, err
	}
	if err := s.checkWritable(); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// beginJoining is beginChange of what can be part of a transaction.
func (s *engineStore) beginJoining() (end func(), err error) {
	if s.within != nil {
		return s.beginWork()
	}
	return s.beginChange()
}

// beginWork is beginChange of what may turn out to change nothing.
func (s *engineStore) beginWork() (end func(), err error) {
	if s.within != nil {
		return func() {}, s.within()
	}
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if s.life.mu.closing {
		return nil, s.closedError()
	}
	s.life.changes.Add(1)
	return s.life.changes.Done, nil
}

// keepCatalog keeps the catalog open for a Writable that outlives the store,
// until dropCatalog.
func (s *engineStore) keepCatalog() {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	s.life.mu.writables++
}

func (s *engineStore) dropCatalog() error {
	s.life.mu.Lock()
	s.life.mu.writables--
	last := s.life.mu.writables == 0 && s.life.closed.Load()
	s.life.mu.Unlock()
	if last {
		return s.cat.Close()
	}
	return nil
}

// checkOpen is the guard of every reading method.
func (s *engineStore) checkOpen() error {
	if s.within != nil {
		return s.within()
	}
	if s.life.closed.Load() {
		return s.closedError()
	}
	return nil
}

func (s *engineStore) closedError() error {
	return fmt.Errorf("store %q: %w", s.dir, mmapstore.ErrClosed)
}

// errWithin is what a Store of a transaction returns for what changes more
// than names and new elements.
var errWithin = errors.New("this can't be part of a transaction: it changes elements or files where they are")
