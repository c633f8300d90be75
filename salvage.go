package tstore

import (
	"context"
	"time"

	"github.com/tstore/tstore/internal/check"
)

// SalvageOptions of Salvage. Nil means the defaults.
type SalvageOptions struct {
	// LockTimeout bounds each wait for other users of the store, as in Options.
	LockTimeout time.Duration
}

// SalvageReport says what Salvage found.
type SalvageReport struct {
	// Tensors are the names of the new catalog.
	Tensors []string
	// Renamed maps names of the new catalog to the name in the file, where that was missing or
	// taken.
	Renamed map[string]string
	// Skipped are files that could not be read, with the reason.
	Skipped map[string]string
	// Doubts are files of which only the lost catalog knew whether they are the present ones of
	// their tensors, or have all of their rows, with the reason.
	Doubts map[string]string
	// Snapshots are the names of the snapshots that are there again.
	Snapshots []string
}

// Salvage makes a new catalog for the store in dir from the storage files alone, for when
// catalog.db is lost or beyond repair. The old one, if any, is kept under another name. Names, axis
// names, dtypes and shapes come from the files' headers; named views, attributes, blobs, adopted
// files and seals are not in them and are lost. Of several files of a tensor, as snapshots leave
// them, the one that was made or restored last is taken, and of two tensors with one name the one
// that was changed last gets it. Deleted tensors whose file was not yet removed, or is held by a
// snapshot, come back. A file whose header does not tell what is in it is described as the last
// snapshot knew it that has it.
//
// Snapshots have all of it: those whose file is whole are kept, and can be restored. Their names
// are known as far as a later snapshot, or what is left of the catalog, tells them.
//
// Nobody else may use the store meanwhile.
func Salvage(ctx context.Context, dir string, o *SalvageOptions) (*SalvageReport, error) {
	r, err := check.Salvage(ctx, dir, (*check.SalvageOptions)(o))
	return (*SalvageReport)(r), err
}
