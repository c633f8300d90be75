package tstore

import (
	"context"

	"github.com/tstore/tstore/internal/storefile"
)

// Durability says what committed changes survive. All levels keep transactions whole for every
// process, and survive the death of the process that made them.
type Durability uint8

// The levels of durability.
const (
	// DurabilityOfStore is the level that the store was made with.
	DurabilityOfStore Durability = iota
	// DurabilityPower: a change has survived when its call returns, whatever happens to the
	// process, the system or the power: elements, folders and the catalog are synced. It is the
	// default of new stores.
	DurabilityPower
	// DurabilityProcess: elements are left to the system to write. If the system stops before it
	// has written them, names are still there. Opening tensors written since the machine started
	// then returns ErrUnsynced instead of wrong elements, until someone has looked. The catalog is
	// synced as ever. Store.Sync makes up for it.
	DurabilityProcess
	// DurabilityNone: the catalog is left to the system, too. When that stops, the whole store can
	// be lost: for scratch stores, which are made with it.
	DurabilityNone
)

// String returns "power", "process" or "none", or "store" for DurabilityOfStore.
func (d Durability) String() string { return storefile.Durability(d).String() }

// ParseDurability reads what String returns.
func ParseDurability(text string) (Durability, error) {
	d, err := storefile.ParseDurability(text)
	return Durability(d), err
}

// Sync makes everything durable that was committed at a lower level than DurabilityPower since the
// machine started. It returns the number of files synced.
func (s *Store) Sync(ctx context.Context) (int, error) { return s.store.Sync(ctx) }
