package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// VerifyBackup reads a backup, a folder or a tar file.
func VerifyBackup(ctx context.Context, source string, o *RestoreOptions) (r *check.VerifyReport, err error) {
	x, err := openExtraction(ctx, nil, []string{source}, o)
	if err != nil {
		return nil, fmt.Errorf("verify backup: %w", err)
	}
	defer func() { err = errors.Join(err, x.close()) }()

	a := x.newest
	for i := range a.m.Files {
		x.total += a.m.Files[i].Size - a.m.Files[i].From
	}

	r = &check.VerifyReport{}
	roots := map[string]string{}

	// One pass: a tar may be a stream.
	err = a.each(ctx, func(f *manifest.File, _ []byte, payload *entryReader) error {
		r.Storages++
		r.Bytes += f.Stored()
		sums := sealedSums(f)
		if err := x.copy(payload, f.Size, sums.add); err != nil {
			return err
		}
		return sums.root(f.Size, roots)
	}, func(d check.Damage) error {
		r.Damage = append(r.Damage, d)
		return nil
	})

	r.Damage = append(r.Damage, a.unlikeSeals(roots, r.Damage)...)
	r.Damage = append(r.Damage, a.damagedTexts()...)
	if err == nil && a.in == nil {
		err = a.blame(ctx, r.Damage)
	}

	if err != nil {
		return nil, fmt.Errorf("verify backup %q: %w", source, err)
	}
	return r, nil
}

// sealSums sums the payload of a sealed storage as it is read.
type sealSums struct {
	path string
	*blocksum.Collector
}

// sealedSums begins to sum a file. It sums nothing if the file was not sealed, or if its beginning
// is in another backup.
func sealedSums(f *manifest.File) sealSums {
	id, ok := storageOfPath(f.Path)
	if !ok || f.Header == 0 || f.From > 0 || f.Source.Root == "" {
		return sealSums{}
	}
	return sealSums{f.Path, blocksum.NewCollector(id, 0)}
}

func (s sealSums) add(p backupPiece) error {
	if s.Collector != nil {
		p.eachBlock(s.Add)
	}
	return nil
}

// root notes what the sums come to.
func (s sealSums) root(payload int64, roots map[string]string) error {
	if s.Collector == nil {
		return nil
	}
	sums, err := s.Sums(payload)
	roots[s.path] = fmt.Sprintf("%x", blocksum.Root(sums))
	return err
}

// unlikeSeals returns the files that are what was backed up, but not what was sealed. The cause is
// a program that reused the numbers that tell files apart, so that rows of another state were
// added.
func (a *archive) unlikeSeals(roots map[string]string, found []check.Damage) (unlike []check.Damage) {
	for i := range a.m.Files {
		f := &a.m.Files[i]
		root, known := roots[f.Path]
		told := slices.ContainsFunc(found, func(d check.Damage) bool { return d.File == f.Path })
		if known && !told && f.Source.Root != "" && root != f.Source.Root {
			unlike = append(unlike, check.Damage{File: f.Path, Bytes: -1, Err: fmt.Errorf("%w: the backup has other elements than were sealed: make the next backup in a new folder or file", store.ErrChecksum)})
		}
	}
	return unlike
}

// damagedTexts returns the small files that are not what the manifest says. Nothing else needs
// them, but without them a folder, or a tar that is unpacked, is no backup.
func (a *archive) damagedTexts() (damaged []check.Damage) {
	for name, want := range map[string]string{storefile.MarkFile: a.m.Mark, storefile.BackupFile: textOfBackup(a.m.Store, a.m.Lineage)} {
		found := a.texts[name]

		if a.in == nil {
			f, err := fsx.Open(filepath.Join(a.dir, name))
			if err == nil {
				b, _ := io.ReadAll(io.LimitReader(f, maxText)) // what can't be read differs
				found, err = string(b), f.Close()
			}
			if err != nil {
				found = ""
			}
		}

		if found != want {
			damaged = append(damaged, check.Damage{File: name, Bytes: -1, Err: fmt.Errorf("%w: found %.100q, expected %q", store.ErrChecksum, found, want)})
		}
	}
	return damaged
}

// blame finds the tensors that damage in a folder concerns, if its catalog is whole.
func (a *archive) blame(ctx context.Context, found []check.Damage) error {
	if len(found) == 0 {
		return nil
	}

	s, err := store.Open(ctx, a.dir, &store.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	defer s.Close()

	err = s.Engine.Catalog.View(ctx, func(c *catalog.Tx) error {
		for i := range found {
			id, ok := storageOfPath(found[i].File)
			if !ok {
				continue
			}
			st, err := c.Storage(id)
			if err != nil {
				continue // only a snapshot has it
			}
			if err := check.BlameIn(c, &check.Target{Storage: st}, found[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	})

	// A damaged catalog is damage that was reported already.
	if errors.Is(err, store.ErrCorrupt) {
		return nil
	}
	return err
}
