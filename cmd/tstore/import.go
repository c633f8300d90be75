package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// importFlags are the flags of import.
type importFlags struct {
	input     inputFlags
	labels    labelFlags
	reserve   reserveFlag
	name      string
	overwrite bool
	dryRun    bool
	json      bool
	given     func(flag string) bool
}

func newImport(a *app) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Copy .npy files, or bare elements, into the store",
		Long: `Copy the elements of .npy files into the store, or with --raw bare elements that
the flags describe. The FILE - is standard input. A tensor is named as its file,
without the extension, or by --name. It is visible when it is complete and on
disk: an interrupted import leaves nothing. Of several files, those before the one
that fails are in the store.`,
		Example: `  tstore import t2m.npy --name weather/t2m --dims time,lat,lon --attr units=K
  tstore import *.npy
  tstore import frames.bin --dtype uint8 --shape=-1,480,640
  python3 make.py | tstore import - --name x --overwrite`,
		GroupID: groupData,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			f.given = cmd.Flags().Changed
			return a.eachFile(cmd.Context(), files, f.name, func(s *tstore.Store, file, name string) error {
				return a.importFile(cmd.Context(), s, file, name, &f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "name of the tensor (default: that of the file)")
	f.input.register(flags)
	f.labels.register(flags)
	flags.Var(&f.reserve, "reserve", "disk space: preallocate or sparse")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace a tensor that has the name already")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be written, and write nothing")
	flags.BoolVar(&f.json, "json", false, "print the new tensor as JSON")
	return cmd
}

func (a *app) importFile(ctx context.Context, s *tstore.Store, file, name string, f *importFlags) error {
	return a.withInput(ctx, file, &f.input, f.given, func(in input) error {
		src := in.Source()
		src.Reserve = tstore.Reserve(f.reserve)
		if err := f.labels.apply(&src.Spec); err != nil {
			return err
		}
		size, err := src.NumBytes()
		if err != nil {
			return err
		}
		if f.dryRun {
			return a.wouldWrite(ctx, s, name, size, f.overwrite)
		}
		bar := a.progress("import "+printable(file), size)
		src.Progress = bar.update
		err = s.Import(ctx, name, src, &tstore.ImportOptions{Overwrite: f.overwrite})
		bar.done()
		if err != nil {
			return err
		}
		return a.tellMade(ctx, s, "imported", name, f.json)
	})
}

// tellMade says what a new tensor is: as JSON on standard output, else as a
// note.
func (a *app) tellMade(ctx context.Context, s *tstore.Store, verb, name string, asJSON bool) error {
	info, err := s.Stat(ctx, name)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(a.stdout, describeTensor(s, info))
	}
	a.note("%s %q: %v %s, %s", verb, name, info.Record.DType, formatTuple(info.Layout.Shape()), formatBytes(numBytes(info.Record.DType, info.Layout)))
	return nil
}
