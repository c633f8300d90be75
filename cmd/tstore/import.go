package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
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
	journal journalFlags
	given   func(flag string) bool
}

func newImport(a *app) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Copy .npy files, or bare elements, into the store",
		Long: `Copy the elements of .npy files into the store, or with --raw, or from a name that
ends in .raw, .bin or .dat, bare elements that the flags describe. The FILE - is standard input. A tensor is named as its file,
without the extension, or by --name. It is visible when it is complete and on
disk. Several files become visible together,
all or none, but with --keep-going each by itself. An interrupted import of one large
file, or with --keep-going of each, goes on with tstore job resume.

What is imported is sealed: tstore verify finds bytes that a disk has changed, and
elements change only after tstore unseal. --no-seal leaves it open.`,
		Example: `  tstore import t2m.npy --name weather/t2m --dims time,lat,lon --attr units=K
  tstore import *.npy
  tstore import frames.bin --dtype uint8 --shape=-1,480,640
  python3 make.py | tstore import - --name x --overwrite`,
		GroupID: groupData,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			f.given = cmd.Flags().Changed
			f.intake.verb = "import"
			f.intake.take = func(tx *tstore.Tx, file, name string) error {
				return a.importFile(cmd.Context(), tx.Import, file, name, &f)
			}
			f.intake.takeAlone = func(s *tstore.Store, file, name string) error {
				return a.importFile(cmd.Context(), func(name string, src tstore.Source, o *tstore.ImportOptions) error {
					return orOverwrite(s.Import(cmd.Context(), name, src, o), o.Overwrite)
				}, file, name, &f)
			}
			if f.dryRun {
				return a.wouldImport(cmd.Context(), files, &f)
			}
			return a.takeFiles(cmd.Context(), files, &f.intake)
		},
	}
	flags := cmd.Flags()
	f.intake.register(flags)
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

func (a *app) importFile(ctx context.Context, put func(name string, src tstore.Source, o *tstore.ImportOptions) error, file, name string, f *importFlags) error {
	journal, err := f.journal.journal()
	if err != nil {
		return err
	}
	return a.withSource(ctx, file, f, func(src tstore.Source, size int64) error {
		bar := a.progress("import "+printable(file), size)
		defer bar.done()
		src.Progress = bar.update
		return put(name, src, &tstore.ImportOptions{Overwrite: f.intake.overwrite, NoSeal: f.noSeal, Journal: journal})
	})
}

// wouldImport says what an import would write.
func (a *app) wouldImport(ctx context.Context, files []string, f *importFlags) error {
	names, err := namesOfFiles(files, f.intake.name)
	if err != nil {
		return err
	}
	return a.changing(ctx, func(s *tstore.Store) error {
		for i, file := range files {
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
