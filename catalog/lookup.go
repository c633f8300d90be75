package catalog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tstore/tstore/catalog/internal/boltfile"
)

// Entry is a record with its storage; a blob's Storage is zero. Entries that Lookup returns are
// shared: they, their slices and their maps must not be changed.
type Entry struct {
	Record  Record
	Storage Storage
}

// replaceCheck is how long a replaced catalog.db can go unnoticed when whoever replaced it did not
// mark the old one.
const replaceCheck = time.Second

// start is where the cache counts time from, by the monotonic clock: a clock that is set back must
// not stop it.
var start = time.Now()

// cache holds entries that are right as long as the file's meta pages stay what they were.
type cache struct {
	mu      sync.RWMutex
	limit   int
	watch   *watch // nil before the first entry and after close
	metas   boltfile.Metas
	entries map[string]*Entry
	checked atomic.Int64 // when path was last seen to be the watched file, in nanoseconds since start
}

// Lookup returns the entry of name, or ErrNotFound. Entries are kept, and served again without any
// lock for as long as nobody has committed anything, which a look at the file's mapped meta pages
// tells (well under a microsecond). Otherwise it is a View.
//
// When another program replaces catalog.db by renaming, as restoring a backup does, entries of the
// old file may be served for up to one second. Rebuild marks the old file, and is noticed at once.
func (c *Catalog) Lookup(ctx context.Context, name string) (*Entry, error) {
	if e := c.cache.get(c.db, name); e != nil {
		return e, nil
	}
	var e *Entry
	err := c.view(ctx, func(h *handle, tx *Tx) (err error) {
		if e, err = tx.entry(name); err != nil {
			return err
		}
		return errors.Join(c.cache.put(h, name, e), c.readAhead(h, tx, name))
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Who looks up many names that nobody changes is given the next ones in the order of names with
// each look at the file.
const (
	manyLookups = 16
	aheadNames  = 64
)

// readAhead keeps the entries behind name, when many have been looked up. Those that can't be read
// are left out: they are an error when somebody asks for them.
func (c *Catalog) readAhead(h *handle, tx *Tx, name string) error {
	if c.cache.size() < manyLookups {
		return nil
	}

	cur := tx.names.cursor()
	key, _, err := cur.seek(nameKey(name))
	for range aheadNames {
		if err != nil || key == nil {
			break
		}
		if key, _, err = cur.nextAfter(key); err != nil || key == nil {
			break
		}

		next, bad := keyName(key)
		if bad != nil {
			continue
		}
		if c.cache.has(next) {
			continue
		}

		if e, bad := tx.entry(next); bad == nil {
			if err := c.cache.put(h, next, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// size is the number of entries.
func (c *cache) size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.entries)
}

// has reports whether there is an entry of a name. Call it only right after put: older entries may
// describe an earlier commit.
func (c *cache) has(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.entries[name] != nil
}

func (tx *Tx) entry(name string) (*Entry, error) {
	r, err := tx.Get(name)
	if err != nil {
		return nil, err
	}
	e := &Entry{Record: r}
	if r.Kind == KindTensor {
		if e.Storage, err = tx.Storage(r.Storage); errors.Is(err, ErrNotFound) {
			err = tx.names.bad(nameKey(name), fmt.Errorf("its %v", err))
		}
	}
	return e, err
}

// get returns the entry of name if it is still right, else nil.
func (c *cache) get(path, name string) *Entry {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e := c.entries[name]
	if e == nil || !c.watch.shows(&c.metas) || !c.sameFile(path) {
		return nil
	}
	return e
}

// Current reports, without a transaction, whether nothing was committed since all of these entries
// were returned by Lookup for their names: then they are those of one state, the present one. false
// may also mean that it can't tell.
func (c *Catalog) Current(entries iter.Seq2[string, *Entry]) bool {
	c.cache.mu.RLock()
	defer c.cache.mu.RUnlock()
	for name, e := range entries {
		if c.cache.entries[name] != e {
			return false
		}
	}
	return c.cache.watch == nil || c.cache.watch.shows(&c.cache.metas) && c.cache.sameFile(c.db)
}

// sameFile makes sure, every now and then, that path is the watched file.
func (c *cache) sameFile(path string) bool {
	now := int64(time.Since(start))
	if now-c.checked.Load() < int64(replaceCheck) {
		return true
	}
	info, err := os.Stat(path)
	if err != nil || !os.SameFile(info, c.watch.info) {
		return false
	}
	c.checked.Store(now)
	return true
}

// put keeps an entry that was read through h, whose transaction still holds the catalog's lock.
func (c *cache) put(h *handle, name string, e *Entry) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if metas := h.commit.Metas(); c.watch == nil || c.metas != metas || !os.SameFile(c.watch.info, h.info) {
		if err := c.restart(h, metas); err != nil {
			return err
		}
	}
	if len(c.entries) >= c.limit {
		for victim := range c.entries {
			delete(c.entries, victim)
			break
		}
	}
	c.entries[name] = e
	return nil
}

// restart forgets all entries, and begins again with the state that h shows.
func (c *cache) restart(h *handle, metas boltfile.Metas) error {
	c.entries = map[string]*Entry{}
	c.metas = metas

	if c.watch != nil && os.SameFile(c.watch.info, h.info) {
		return nil
	}
	w, err := newWatch(h)
	if err != nil {
		return err
	}

	old := c.watch
	c.watch = w
	c.checked.Store(int64(time.Since(start)))
	if old != nil {
		return old.close()
	}

	return nil
}

// close forgets all entries and lets go of the file.
func (c *cache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = nil
	if c.watch == nil {
		return nil
	}
	err := c.watch.close()
	c.watch = nil
	return err
}
