package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/store"
)

// extraction makes a store of one or more archives.
type extraction struct {
	fs       fsx.FS
	opts     RestoreOptions
	archives []*archive
	newest   *archive
	// files are what the store is to have, by their keys.
	files map[string]*extracted
	done  int64
	total int64
	dir   string
}

// extracted is a file on its way into the store.
type extracted struct {
	*manifest.File
	pieces []check.Span // that have come
	headed int64        // the length of the payload that the header describes, plus one
}

func openExtraction(ctx context.Context, fsys fsx.FS, sources []string, o *RestoreOptions) (*extraction, error) {
	x := &extraction{fs: fsys, files: map[string]*extracted{}}
	if o != nil {
		x.opts = *o
	}

	if len(sources) == 0 {
		return nil, errors.New("no backup is named")
	}

	for _, name := range sources {
		a, err := openArchive(ctx, name, x.opts.Stdin)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%q: %w", name, err), x.close())
		}
		x.archives = append(x.archives, a)

		if x.newest == nil || cmp.Compare(a.m.Seq, x.newest.m.Seq) > 0 || a.m.Seq == x.newest.m.Seq && a.m.Created.After(x.newest.m.Created) {
			x.newest = a
		}
	}
	return x, nil
}

func (x *extraction) close() error {
	var errs []error
	for _, a := range x.archives {
		errs = append(errs, a.close())
	}
	return errors.Join(errs...)
}

// plan finds the archives that have each file. It returns an error if a file is in none.
func (x *extraction) plan() error {
	for i := range x.newest.m.Files {
		f := &x.newest.m.Files[i]
		if err := ownPath(f.Path); err != nil {
			return err
		}
		if x.files[f.Key] != nil {
			return fmt.Errorf("%w: %q has the key of another file", store.ErrCorrupt, f.Path)
		}
		x.files[f.Key] = &extracted{File: f}
		x.total += f.Size
	}

	for _, e := range x.files {
		if !x.covered(e) {
			return x.missing(e)
		}
	}
	return nil
}

// covered reports whether the archives have all of a file.
func (x *extraction) covered(e *extracted) bool {
	have := int64(0)
	for range x.archives {
		for _, a := range x.archives {
			if f := a.byKey(e.Key); f != nil && f.From <= have && !f.Absent() {
				have = max(have, f.Size)
			}
		}
	}
	return have >= e.Size
}

// missing returns the error that names the archives which are needed and were not given.
func (x *extraction) missing(e *extracted) error {
	given := map[string]bool{}
	for _, a := range x.archives {
		given[a.m.ID] = true
	}
	var names []string
	for _, l := range x.newest.m.Since {
		if !given[l.ID] {
			names = append(names, fmt.Sprintf("%q of %s", l.Name, l.Created.Format(time.RFC3339)))
		}
	}
	return fmt.Errorf("%w: the backup %q was made since others, and %s is in none of those that are named: add %s", ErrNotBackup, x.newest.name, e.Path, cmp.Or(strings.Join(names, ", "), "the backup that it was made since"))
}

// makeStore makes a store in the folder.
func (x *extraction) makeStore(ctx context.Context) (report *RestoreReport, err error) {
	if err := x.fill(ctx); err != nil {
		return nil, err
	}
	report = &RestoreReport{Created: x.newest.m.Created, Files: len(x.files), Bytes: x.total}
	report.Problems, err = mend(ctx, x.fs, x.dir)
	return report, err
}

// fill puts everything into the folder.
func (x *extraction) fill(ctx context.Context) error {
	for _, a := range x.archives {
		err := a.each(ctx, func(f *manifest.File, head []byte, payload *entryReader) error { return x.take(a, f, head, payload) }, nil)
		if err != nil {
			return fmt.Errorf("%q: %w", a.name, err)
		}
	}
	if err := x.dropSkipped(); err != nil {
		return err
	}
	if err := x.finish(); err != nil {
		return err
	}
	return x.install(ctx)
}

// byKey finds a file of an archive by its content.
func (a *archive) byKey(key string) *manifest.File {
	if a.keys == nil {
		a.keys = map[string]*manifest.File{}
		for i := range a.m.Files {
			a.keys[a.m.Files[i].Key] = &a.m.Files[i]
		}
	}
	return a.keys[key]
}
