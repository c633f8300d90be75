package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/interchange/raw"
)

// importFlags are the flags of import.
type importFlags struct {
	input   inputFlags
	labels  labelFlags
	reserve reserveFlag
	intake  intake
	dryRun  bool
	noSeal  bool
	pack    bool
	join    joinFlags
	journal journalFlags
	given   func(flag string) bool
}

func newImport(a *app) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE|FOLDER...",
		Short: "Copy .npy files, or bare elements, into the store",
		Long: `Copy the elements of .npy files into the store, or with --raw, or from a name that
ends in .raw, .bin or .dat, bare elements that the flags describe. The FILE - is standard input, whose
bare elements are read to its end. A FOLDER stands for the files in it and below. A tensor
is named as its file, without the extension, or by --name, where {stem} stands for that. It is visible when it is complete and on
disk. Several files become visible together,
all or none, but with --keep-going each by itself. --stack and --concat make one tensor of
all files, in the order they are given. An interrupted import of one large
file, or with --keep-going of each, goes on with tstore job resume.

What is imported is sealed: tstore verify finds bytes that a disk has changed, and
elements change only after tstore unseal. --no-seal leaves it open.`,
		Example: `  tstore import t2m.npy --name weather/t2m --dims time,lat,lon --attr units=K
  tstore import *.npy --name 'weather/{stem}'
  tstore import maps --stack time --name t2m --dims lat,lon
  tstore import frames.bin --dtype uint8 --shape=-1,480,640
  python3 make.py | tstore import - --name x --overwrite`,
		GroupID: groupData,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			f.given = cmd.Flags().Changed
			f.intake.verb = "import"
			f.intake.take = func(tx *tstore.Tx, file, name string) error {
				return a.importFile(cmd.Context(), tx, file, name, &f)
			}
			f.intake.takeAlone = func(s *tstore.Store, file, name string) error {
				return orOverwrite(a.importFile(cmd.Context(), alone{cmd.Context(), s}, file, name, &f), f.intake.overwrite)
			}
			switch {
			case f.join.asked(f.given):
				return a.importJoined(cmd.Context(), files, &f)
			case f.dryRun:
				return a.wouldImport(cmd.Context(), files, &f)
			}
			return a.takeFiles(cmd.Context(), files, f.input.bare(), &f.intake)
		},
	}
	flags := cmd.Flags()
	f.intake.register(flags)
	f.join.register(flags)
	f.input.register(flags)
	f.labels.register(flags)
	flags.Var(&f.reserve, "reserve", "disk space: preallocate or sparse")
	flags.BoolVar(&f.intake.overwrite, "overwrite", false, "replace a tensor that has the name already")
	flags.BoolVar(&f.noSeal, "no-seal", false, "leave the elements open for changes, without checksums")
	flags.BoolVar(&f.pack, "pack", false, "put tensors of up to 64 KiB into one file together, which other programs can't read as them")
	f.journal.register(flags)
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be written, and write nothing")
	return cmd
}

// withSource runs fn on the elements of a file, as the flags describe them.
func (a *app) withSource(ctx context.Context, file string, f *importFlags, fn func(src tstore.Source, size int64) error) error {
	return a.withInput(ctx, file, &f.input, f.given, func(in input) error {
		src := in.Source()
		src.Reserve, src.Pack = tstore.Reserve(f.reserve), f.pack
		if err := f.labels.apply(&src.Spec); err != nil {
			return err
		}
		size, err := src.NumBytes()
		if err != nil {
			return err
		}
		return fn(src, size)
	})
}

// importer is where an import goes: a transaction, or a store that each is a transaction of.
type importer interface {
	Import(name string, src tstore.Source, o *tstore.ImportOptions) error
	ImportRows(name string, sp tstore.Spec, next func() (tstore.Source, error), o *tstore.ImportOptions) error
}

// alone imports by itself.
type alone struct {
	ctx   context.Context
	store *tstore.Store
}

func (to alone) Import(name string, src tstore.Source, o *tstore.ImportOptions) error {
	return to.store.Import(to.ctx, name, src, o)
}

func (to alone) ImportRows(name string, sp tstore.Spec, next func() (tstore.Source, error), o *tstore.ImportOptions) error {
	return to.store.ImportRows(to.ctx, name, sp, next, o)
}

func (a *app) importFile(ctx context.Context, to importer, file, name string, f *importFlags) error {
	journal, err := f.journal.journal()
	if err != nil {
		return err
	}
	o := &tstore.ImportOptions{Overwrite: f.intake.overwrite, NoSeal: f.noSeal, Journal: journal}
	if f.input.isEndless(file) {
		return a.importRows(ctx, to, file, name, f, o)
	}
	return a.withSource(ctx, file, f, func(src tstore.Source, size int64) error {
		bar := a.progress("import "+printable(file), size)
		defer bar.done()
		src.Progress = bar.update
		return to.Import(name, src, o)
	})
}

// importRows imports a stream of bare elements that has as many rows as come.
func (a *app) importRows(ctx context.Context, to importer, file, name string, f *importFlags, o *tstore.ImportOptions) error {
	sp, err := f.input.elements.parse()
	if err != nil {
		return fmt.Errorf("bare elements of %s: %w", file, err)
	}
	if sp.Shape == nil {
		sp.Shape = []int{-1}
	}
	in, err := a.openRawRows(ctx, file, raw.Options{
		DType: sp.DType, Shape: sp.Shape, Order: sp.Order,
		Offset: int64(f.input.offset), BigEndian: f.input.bigEndian, AllowTrailing: f.input.cut,
	}, 0)
	if err != nil {
		return err
	}

	made := tstore.Spec{DType: sp.DType, Shape: sp.Shape, Reserve: tstore.Reserve(f.reserve)}
	err = f.labels.apply(&made)
	if err == nil {
		err = to.ImportRows(name, made, in.next, o)
	}
	return errors.Join(err, in.Close())
}

// wouldImport says what an import would write.
func (a *app) wouldImport(ctx context.Context, files []string, f *importFlags) error {
	found, err := a.findFiles(files, f.input.bare())
	if err != nil {
		return err
	}
	names, err := namesOfFiles(found, f.intake.name, f.intake.prefix)
	if err != nil {
		return err
	}
	return a.changing(ctx, func(s *tstore.Store) error {
		for i, file := range paths(found) {
			err := a.withSource(ctx, file, f, func(_ tstore.Source, size int64) error {
				return a.wouldWrite(ctx, s, names[i], size, f.intake.overwrite)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// tellMade says what a new tensor is, unless it is part of a transaction: as JSON on standard
// output, else as a note. It is there, whatever interrupts the command now.
func (a *app) tellMade(ctx context.Context, s *tstore.Store, verb, name string, asJSON bool) error {
	if a.within != nil {
		return nil // there is nothing to look at before the commit
	}
	info, err := s.Stat(context.WithoutCancel(ctx), name)
	if err != nil {
		return fmt.Errorf("%q is %s, but can't be described: %w", name, verb, err)
	}
	if asJSON {
		return writeJSON(a.stdout, describeTensor(s, info, name))
	}
	a.note("%s %q: %v %s, %s", verb, name, info.Record.DType, formatTuple(info.Layout.Shape()), formatBytes(numBytes(info.Record.DType, info.Layout)))
	return nil
}
