package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/interchange/raw"
)

// rawExtensions are those of files of bare elements.
var rawExtensions = []string{".raw", ".bin", ".dat"}

// exportFlags are those of export and cat.
type exportFlags struct {
	asRaw, overwrite, force, recursive bool
	how                                computeFlags
}

func newExport(a *app) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export SELECTOR|PATTERN... FILE|FOLDER/",
		Short: "Write elements to a file",
		Long: `Write elements to a .npy file, or to a file of bare little-endian elements in C
order (.raw, .bin, .dat, or --raw). The file appears complete or not at all. The
FILE - is standard output. A FOLDER, which is made where it is missing, takes any number of
tensors, each in a file of its name.`,
		Example: `  tstore export weather/t2m t2m.npy
  tstore export 'x[:1000]' part.bin
  tstore export 'weather/*' out/
  tstore export 't2m[0] - clim' anomaly.npy
  tstore export x - | python3 -c 'import sys, numpy; print(numpy.load(sys.stdin.buffer).mean())'`,
		GroupID: groupData,
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.exportAll(cmd.Context(), args[:len(args)-1], args[len(args)-1], &f)
		},
	}

	f.how.register(cmd.Flags())
	registerRecursive(cmd.Flags(), &f.recursive)
	cmd.Flags().BoolVar(&f.asRaw, "raw", false, "bare elements, whatever the file is called")
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a file that is there")
	cmd.Flags().BoolVar(&f.force, "force", false, "write to a terminal too; replaces as --overwrite does")

	return cmd
}

// export writes what sel selects to a file, or with "-" to standard output.
func (a *app) export(ctx context.Context, sel, file string, f *exportFlags) error {
	encode, err := encoderFor(file, f.asRaw)
	if err != nil {
		return err
	}
	opts, done, err := f.how.options(a, "compute "+printable(sel))
	if err != nil {
		return err
	}
	defer done()
	return a.reading(ctx, func(s *tstore.Store) error {
		if file == "-" {
			return a.exportStdout(ctx, s, sel, encode, opts, f.force)
		}
		return a.exportFile(ctx, s, sel, file, encode, opts, f.overwrite || f.force)
	})
}

// encoderFor is the format that a file's name stands for.
func encoderFor(file string, asRaw bool) (tstore.Encoder, error) {
	ext := strings.ToLower(filepath.Ext(file))
	switch {
	case asRaw || slices.Contains(rawExtensions, ext):
		return raw.Encode, nil
	case file == "-" || ext == ".npy":
		return npy.Encode, nil
	}
	return nil, fmt.Errorf("export to %s: no format has the extension %q: want .npy, one of %s, or --raw", file, ext, strings.Join(rawExtensions, " "))
}

func (a *app) exportStdout(ctx context.Context, s *tstore.Store, sel string, encode tstore.Encoder, o *tstore.EvalOptions, force bool) error {
	if err := a.checkBinary(force); err != nil {
		return err
	}
	return a.exportTo(ctx, s, sel, a.stdout, encode, o)
}

// exportTo is Store.Export with options for what is computed.
func (a *app) exportTo(ctx context.Context, s *tstore.Store, sel string, w io.Writer, encode tstore.Encoder, o *tstore.EvalOptions) error {
	return a.withReading(ctx, s, sel, o, func(r *tstore.Reading) error {
		if err := encode(ctx, w, r.Elements); err != nil {
			return fmt.Errorf("export %s: %w", sel, err)
		}
		return nil
	})
}

func errInStore(file string) error {
	return fmt.Errorf("%s is inside the store's own folder: export to a place outside; tstore set changes a tensor", printable(file))
}

func (a *app) exportFile(ctx context.Context, s *tstore.Store, sel, file string, encode tstore.Encoder, o *tstore.EvalOptions, overwrite bool) error {
	if s.Holds(file) {
		return errInStore(file)
	}

	info, err := s.StatEvaluated(ctx, sel)
	if err != nil {
		return err
	}

	size := numBytes(info.DType, info.Layout)
	return writeFile(ctx, file, overwrite, size, func(w io.Writer) error {
		if !info.Copied { // else computing tells how far it is
			bar := a.progress("export "+file, size)
			defer bar.done()
			w = &countedWriter{w: w, count: bar.update}
		}
		return a.exportTo(ctx, s, sel, w, encode, o)
	})
}
