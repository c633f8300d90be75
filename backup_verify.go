package tstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/manifest"
)

// VerifyBackup reads a backup, a folder or a tar file, and compares all bytes
// with the checksums that were made of them. Damage is in the report; an error
// means that it is no backup, or that the rest of a tar can't be read.
func VerifyBackup(ctx context.Context, source string, o *RestoreOptions) (r *VerifyReport, err error) {
	x, err := openExtraction(ctx, nil, []string{source}, o)
	if err != nil {
		return nil, fmt.Errorf("verify backup: %w", err)
	}
	defer func() { err = errors.Join(err, x.close()) }()
	a := x.newest
	for i := range a.m.Files {
		x.total += a.m.Files[i].Size - a.m.Files[i].From
	}
	r = &VerifyReport{}
	err = a.each(ctx, func(f *manifest.File, _ []byte, payload *entryReader) error {
		r.Storages++
		r.Bytes += f.Stored()
		return x.copy(payload, f.Size, func(backupPiece) error { return nil })
	}, func(d Damage) error {
		r.Damage = append(r.Damage, d)
		return nil
	})
	if err == nil && a.in == nil {
		err = a.blame(ctx, r.Damage)
	}
	if err != nil {
		return nil, fmt.Errorf("verify backup %q: %w", source, err)
	}
	return r, nil
}

// blame finds the tensors that damage in a folder concerns, if its catalog is
// whole.
func (a *archive) blame(ctx context.Context, found []Damage) error {
	if len(found) == 0 {
		return nil
	}
	s, err := Open(ctx, a.dir, &Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	defer s.Close()
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		for i := range found {
			id, ok := storageOfPath(found[i].File)
			if !ok {
				continue
			}
			st, err := c.Storage(id)
			if err != nil {
				continue // only a snapshot has it
			}
			if err := blameIn(c, &target{storage: st}, found[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ErrCorrupt) {
		return nil
	}
	return err
}
