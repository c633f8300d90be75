package jit

import (
	"errors"
	"sync"
)

// A Cache keeps the code of recently used programs, by what the programs do. It is safe for
// concurrent use. The zero Cache is empty and ready for use.
type Cache struct {
	mu struct {
		sync.Mutex
		entries map[string]*entry
		clock   int64
	}
}

// An entry is the state of a program in a Cache.
type entry struct {
	used int64 // the clock when it was asked for last
	once sync.Once
	code *Code
	err  error
}

// maxEntries is the number of programs that a Cache knows.
const maxEntries = 256

// ErrFirstUse is the error of a program that a Cache is asked for the first time, where compiling
// it at once does not pay.
var ErrFirstUse = errors.New("it is compiled when it is used again")

// Get returns the code of a program. Unless now is set, it compiles only a program that was asked
// for before.
func (c *Cache) Get(p *Program, now bool) (*Code, error) {
	var room [256]byte
	e, known := c.entry(p.AppendKey(room[:0]))
	if !now && !known {
		return nil, ErrFirstUse
	}
	e.once.Do(func() { e.code, e.err = Compile(p) })
	return e.code, e.err
}

// entry returns the entry of a key, and whether it was there.
func (c *Cache) entry(key []byte) (e *entry, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.mu.clock++
	if e = c.mu.entries[string(key)]; e != nil {
		e.used = c.mu.clock
		return e, true
	}

	if c.mu.entries == nil {
		c.mu.entries = make(map[string]*entry)
	}

	if len(c.mu.entries) >= maxEntries {
		c.evictLocked()
	}

	e = &entry{used: c.mu.clock}
	c.mu.entries[string(key)] = e
	return e, false
}

// evictLocked drops the program that was not used for the longest time. Its code lives on while
// somebody holds it.
func (c *Cache) evictLocked() {
	var oldest string
	var used int64
	for key, e := range c.mu.entries {
		if oldest == "" || e.used < used {
			oldest, used = key, e.used
		}
	}
	delete(c.mu.entries, oldest)
}
