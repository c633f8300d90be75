package engine

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

// slowToFree is the size of a file from which on the system takes long to take back its pages and
// its space.
const slowToFree = 256 << 20

// FreeLater runs release, which frees a file of size bytes that has no name. Freeing a large file
// takes seconds, so it is done in the background, and errors are dropped. Only Close, and callers
// that need the space, wait for it.
func (s *Store) FreeLater(size int64, release func() error) error {
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

// AwaitFreed waits until FreeLater has freed all files.
func (s *Store) AwaitFreed() {
	s.life.freeing.Lock()
	defer s.life.freeing.Unlock()
}

// Close waits for the changes at work and closes the store. It does nothing on the handle of a
// transaction. It is idempotent.
func (s *Store) Close() (err error) {
	if s.within == nil {
		s.life.once.Do(func() { err = s.close() })
	}
	return err
}

func (s *Store) close() error {
	s.life.mu.Lock()
	s.life.mu.closing = true
	s.life.mu.Unlock()
	s.life.changes.Wait()
	s.life.mu.Lock()
	s.life.closed.Store(true)
	last := s.life.mu.writables == 0
	s.life.mu.Unlock()
	s.AwaitFreed()
	err := errors.Join(s.maps.Close(), s.Images.close())
	if last {
		err = errors.Join(err, s.Catalog.Close())
	}
	return err
}

// BeginChange is the guard of every method that changes the store. Close waits until end is called.
// What runs in between must not begin another change: it could be refused.
func (s *Store) BeginChange() (end func(), err error) {
	if s.within != nil {
		return nil, ErrWithin
	}
	end, err = s.BeginWork()
	if err != nil {
		return nil, err
	}
	if err := s.CheckWritable(); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// BeginJoining is BeginChange for methods that can be part of a transaction.
func (s *Store) BeginJoining() (end func(), err error) {
	if s.within != nil {
		return s.BeginWork()
	}
	return s.BeginChange()
}

// BeginWork is BeginChange for methods that may turn out to change nothing.
func (s *Store) BeginWork() (end func(), err error) {
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

// KeepCatalog keeps the catalog open for a Writable that outlives the store, until DropCatalog.
func (s *Store) KeepCatalog() {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	s.life.mu.writables++
}

// DropCatalog ends KeepCatalog. The last one closes the catalog of a closed store.
func (s *Store) DropCatalog() error {
	s.life.mu.Lock()
	s.life.mu.writables--
	last := s.life.mu.writables == 0 && s.life.closed.Load()
	s.life.mu.Unlock()
	if last {
		return s.Catalog.Close()
	}
	return nil
}

// CheckOpen is the guard of every reading method.
func (s *Store) CheckOpen() error {
	if s.within != nil {
		return s.within()
	}
	if s.life.closed.Load() {
		return s.closedError()
	}
	return nil
}

func (s *Store) closedError() error {
	return fmt.Errorf("store %q: %w", s.Dir, mmapstore.ErrClosed)
}

// ErrWithin is what a Store of a transaction returns for what changes more than names and new
// elements.
var ErrWithin = errors.New("this can't be part of a transaction: it changes elements or files where they are")
