package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tstore/tstore/internal/fsx"
)

// The files of a catalog inside its folder.
const (
	dbFile   = "catalog.db"
	lockFile = "lock"
)

// The documented defaults of Options.
const (
	DefaultLockTimeout  = 30 * time.Second
	DefaultCacheEntries = 64 << 10
)

// Options are the choices at Open, Create and Rebuild. nil means the zero value, which means the
// defaults.
type Options struct {
	ReadOnly     bool          // refuse Update
	LockTimeout  time.Duration // how long a transaction waits for others; 0 means DefaultLockTimeout
	NoSync       bool          // commits are not durable: a power cut may destroy the catalog. For tests and scratch data
	CacheEntries int           // how many entries Lookup keeps; 0 means DefaultCacheEntries
	StoreID      ID            // Create and Rebuild: the store's id; zero means a new one, and on Rebuild the former one if it can be read
}

// withDefaults returns a checked copy of o with the defaults filled in.
func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	if c.LockTimeout < 0 || c.CacheEntries < 0 {
		return c, fmt.Errorf("%w options: lock timeout %s and %d cache entries: neither may be negative", ErrInvalid, c.LockTimeout, c.CacheEntries)
	}
	if c.LockTimeout == 0 {
		c.LockTimeout = DefaultLockTimeout
	}
	if c.CacheEntries == 0 {
		c.CacheEntries = DefaultCacheEntries
	}
	return c, nil
}

// Catalog is a handle on the catalog of one store. It holds no lock and no open database between
// transactions, so that any number of handles and processes work on one store. All methods may be
// called by several goroutines at once.
type Catalog struct {
	dir          string
	db           string // path of the database
	fs           fsx.FS // makes, renames, removes and syncs files; bbolt goes past it
	opts         Options
	meta         Meta
	closed       atomic.Bool
	poisoned     atomic.Pointer[InDoubtError]
	transactions sync.RWMutex // held shared by each transaction, so that Close can wait for them
	cache        cache
}

// Open returns a handle on the catalog in the folder dir. ErrNotCatalog means that there is none,
// ErrFuture that a newer tstore wrote it.
func Open(ctx context.Context, dir string, o *Options) (*Catalog, error) {
	c, err := newCatalog(dir, o)
	if err != nil {
		return nil, err
	}

	if !c.opts.ReadOnly {
		if err := c.ensureLockFile(); err != nil {
			return nil, err
		}
	}

	// Read the format once, so that a catalog that can't be used is an error here and not later.
	err = c.View(ctx, func(tx *Tx) error {
		c.meta = tx.Meta()
		return nil
	})

	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %q has no %s", ErrNotCatalog, dir, dbFile)
	}
	if err != nil {
		return nil, err
	}

	return c, nil
}

func newCatalog(dir string, o *Options) (*Catalog, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &Catalog{dir: abs, db: filepath.Join(abs, dbFile), fs: fsx.Within(fsx.OS, abs), opts: opts}
	c.cache.limit = opts.CacheEntries
	return c, nil
}

// Close waits for the running transactions and lets go of the cache. Later calls of other methods
// return ErrClosed.
func (c *Catalog) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	c.transactions.Lock()
	defer c.transactions.Unlock()
	return c.cache.close()
}

// StoreID returns the id of the store that the catalog belongs to.
func (c *Catalog) StoreID() ID { return c.meta.Store }

// Meta returns what the catalog said of itself when it was opened.
func (c *Catalog) Meta() Meta { return c.meta }

func (c *Catalog) lockPath() string { return filepath.Join(c.dir, lockFile) }
