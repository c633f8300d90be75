package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tstore/tstore"
)

// joinFlags make one tensor of several files.
type joinFlags struct{ stack, concat string }

func (f *joinFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.stack, "stack", "", "make one tensor of all files, along a new first `AXIS` of this name")
	flags.StringVar(&f.concat, "concat", "", "make one tensor of all files, along an `AXIS`: its number, or its name in --dims")
}

func (f *joinFlags) asked(given func(flag string) bool) bool {
	return given("stack") || given("concat")
}

// join returns the source of all elements, and the names of its axes.
func (f *joinFlags) join(dims []string, sources []tstore.Source) (tstore.Source, []string, error) {
	if f.stack != "" {
		src, err := tstore.Stack(sources...)
		if err == nil && len(dims) == 0 {
			for i := range src.Shape[1:] {
				dims = append(dims, "dim_"+strconv.Itoa(i+1))
			}
		}
		return src, append([]string{f.stack}, dims...), err
	}

	axis := slices.Index(dims, f.concat)
	if axis < 0 {
		var err error
		if axis, err = strconv.Atoi(f.concat); err != nil {
			return tstore.Source{}, nil, fmt.Errorf("--concat %q: expected the number of an axis, or a name in --dims", f.concat)
		}
	}
	src, err := tstore.Concatenate(axis, sources...)
	return src, dims, err
}

// isFirst reports whether files follow one another along the first axis, so that each is read once,
// from its beginning to its end.
func (f *joinFlags) isFirst(dims []string) bool {
	return f.stack != "" || f.concat == "0" || len(dims) > 0 && f.concat == dims[0]
}

// check returns an error for flags that say nothing of one tensor of several files.
func (f *joinFlags) check(given func(flag string) bool) error {
	switch {
	case given("stack") && given("concat"):
		return errors.New("expected --stack or --concat, found both")
	case given("stack") && f.stack == "", given("concat") && f.concat == "":
		return errors.New("--stack and --concat need an axis")
	case given("keep-going"):
		return errors.New("--keep-going is for files that become a tensor each")
	}
	return nil
}

// importJoined makes one tensor of files.
func (a *app) importJoined(ctx context.Context, args []string, f *importFlags) error {
	if err := f.join.check(f.given); err != nil {
		return err
	}
	files, err := a.findFiles(args, f.input.bare())
	if err != nil {
		return err
	}
	name, err := nameOfJoined(args, f)
	if err != nil {
		return err
	}
	journal, err := f.journal.journal()
	if err != nil {
		return err
	}

	later := make([]*laterInput, len(files))
	sources := make([]tstore.Source, len(files))
	defer func() {
		for _, in := range later {
			_ = in.Close() // it was only read
		}
	}()
	for i, file := range files {
		later[i] = &laterInput{open: func() (input, error) { return a.openInput(ctx, file.path, &f.input, f.given) }}
		if file.path == "-" || isPipe(file.path) {
			return fmt.Errorf("%s: --stack and --concat take files, and no streams", printable(file.path))
		}
		if sources[i], err = later[i].source(f.join.isFirst(f.labels.dims)); err != nil {
			return err
		}
	}

	src, dims, err := f.join.join(f.labels.dims, sources)
	if unfit, ok := errors.AsType[*tstore.SourceError](err); ok {
		return fmt.Errorf("%s: %w", printable(files[unfit.Index].path), unfit.Err)
	}
	if err != nil {
		return err
	}
	if err := f.labels.apply(&src.Spec); err != nil {
		return err
	}
	src.Dims, src.Reserve, src.Pack = dims, tstore.Reserve(f.reserve), f.pack
	size, err := src.NumBytes()
	if err != nil {
		return err
	}

	return a.changing(ctx, func(s *tstore.Store) error {
		if f.dryRun {
			return a.wouldWrite(ctx, s, name, size, f.intake.overwrite)
		}
		bar := a.progress("import "+plural(len(files), "file"), size)
		defer bar.done()
		src.Progress = bar.update
		err := s.Import(ctx, name, src, &tstore.ImportOptions{Overwrite: f.intake.overwrite, NoSeal: f.noSeal, Journal: journal})
		if err != nil {
			return orOverwrite(err, f.intake.overwrite)
		}
		return a.tellMade(ctx, s, "imported", name, f.intake.json)
	})
}

// nameOfJoined returns the name of one tensor of all files: the one that was asked for, or that of
// the only folder.
func nameOfJoined(args []string, f *importFlags) (string, error) {
	switch {
	case strings.Contains(f.intake.name, stemWord):
		return "", fmt.Errorf("--name %s: the files become one tensor, and %s is the name of each", f.intake.name, stemWord)
	case f.intake.name != "":
		return f.intake.prefix + f.intake.name, nil
	case len(args) > 1:
		return "", errors.New("--name is missing: the files become one tensor")
	}
	name, err := nameOfFile(args[0])
	return f.intake.prefix + name, err
}

// laterInput is a file whose elements are read later. It is opened when they are, and closed at
// their end, so that any number of files can be joined.
type laterInput struct {
	open func() (input, error)
	spec tstore.Spec
	in   input
	data io.Reader
}

// source returns the elements of the file. If they are not read once from beginning to end, the file
// stays open.
func (l *laterInput) source(once bool) (tstore.Source, error) {
	in, err := l.open()
	if err != nil {
		return tstore.Source{}, err
	}
	src := in.Source()
	l.spec = src.Spec
	if !once {
		l.in = in
		return src, nil
	}
	return tstore.Source{Spec: src.Spec, Data: l}, in.Close()
}

// Read implements io.Reader.
func (l *laterInput) Read(p []byte) (int, error) {
	if l.in == nil && l.data != nil {
		return 0, io.EOF
	}
	if l.in == nil {
		in, err := l.open()
		if err != nil {
			return 0, err
		}
		l.in = in
		src := in.Source()
		if src.DType != l.spec.DType || !slices.Equal(src.Shape, l.spec.Shape) {
			return 0, errors.New("a file has changed while others were read: try again")
		}
		l.data = src.Data
	}

	n, err := l.data.Read(p)
	if err == io.EOF {
		if closeErr := l.Close(); closeErr != nil {
			err = closeErr
		}
	}
	return n, err
}

// Close closes the file if it is open.
func (l *laterInput) Close() error {
	if l == nil || l.in == nil {
		return nil
	}
	in := l.in
	l.in = nil
	return in.Close()
}
