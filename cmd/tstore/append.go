package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/interchange/raw"
)

// appendFlags are the flags of append.
type appendFlags struct {
	value          string
	rows           int
	raw, bigEndian bool
	cut            bool
	offset         bytesFlag
	how            computeFlags

	hasValue, hasRows bool
}

func newAppend(a *app) *cobra.Command {
	var f appendFlags
	cmd := &cobra.Command{
		Use:   "append NAME [FILE]",
		Short: "Add rows at the end of a tensor",
		Long: `Add the rows of a .npy file, or bare elements of the tensor's dtype, at the end of
the first axis. The FILE - is standard input. Arrays that follow one another, as
several calls of numpy.save leave them, are added one after another, all or none.
What is no file is a selector or an expression, whose elements are of the tensor's dtype.
--value adds rows of one value instead. Other programs that append at the same time wait for one another; the
rows are on disk before the new length shows.`,
		Example: `  tstore append log more.npy
  tstore append log samples.bin --raw
  python3 batches.py | tstore append log -
  sensor | tstore append log - --raw --rows 60
  tstore append log --value 0 --rows 10
  tstore append log 'more[:2] + 1'`,
		GroupID: groupData,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.hasValue, f.hasRows = cmd.Flags().Changed("value"), cmd.Flags().Changed("rows")
			if err := f.check(args); err != nil {
				return err
			}
			how, done, err := f.how.options(a, "append")
			if err != nil {
				return err
			}
			defer done()
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.append(cmd.Context(), s, args, &f, how)
			})
		},
	}

	flags := cmd.Flags()
	flags.StringVar(&f.value, "value", "", "every new element is this `VALUE`")
	flags.IntVar(&f.rows, "rows", 1, "how many rows, with --value or of bare elements (default there: as many as the file has)")
	flags.BoolVar(&f.raw, "raw", false, "the file holds bare elements")
	flags.Var(&f.offset, "offset", "bare elements begin after so many bytes")
	flags.BoolVar(&f.bigEndian, "big-endian", false, "bare elements have their highest byte first")
	flags.BoolVar(&f.cut, "allow-trailing", false, "leave out what follows the first array, or the bare elements")
	f.how.register(flags)

	return cmd
}

func (f *appendFlags) check(args []string) error {
	switch {
	case len(args) == 2 && f.hasValue:
		return errors.New("expected FILE or --value, found both")
	case len(args) == 1 && !f.hasValue:
		return errors.New("expected FILE or --value, found neither")
	case f.rows < 0:
		return fmt.Errorf("--rows %d: want 0 or more", f.rows)
	case !f.isRaw(args) && (f.hasRows && !f.hasValue || f.offset != 0 || f.bigEndian):
		return errors.New("--rows, --offset and --big-endian are for bare elements: a .npy file says it itself")
	}
	return nil
}

func (f *appendFlags) isRaw(args []string) bool {
	return f.raw || len(args) == 2 && hasRawName(args[1])
}

func (a *app) append(ctx context.Context, s *tstore.Store, args []string, f *appendFlags, how *tstore.EvalOptions) error {
	name := args[0]
	info, err := s.Stat(ctx, name)
	if err != nil {
		return err
	}

	if f.hasValue {
		src, err := valueRows(info, f.value, f.rows)
		if err != nil {
			return fmt.Errorf("append to %q: %w", name, err)
		}
		size, err := src.NumBytes()
		if err != nil {
			return err
		}
		return a.appendAll(ctx, s, name, rowFile{next: once(src), size: size})
	}

	if !f.isRaw(args) && args[1] != "-" && !isFile(ctx, s, args[1]) {
		return a.appendRead(ctx, s, name, args[1], how)
	}

	in, err := a.openRows(ctx, info, args[1], f)
	if err != nil {
		return err
	}

	return errors.Join(a.appendAll(ctx, s, name, in), in.Close())
}

// rowFile is rows to append, of one source or of several.
type rowFile struct {
	io.Closer
	next func() (tstore.Source, error)
	size int64 // bytes to come, 0 if that is not known
}

// once yields one source.
func once(src tstore.Source) func() (tstore.Source, error) {
	done := false
	return func() (tstore.Source, error) {
		if done {
			return tstore.Source{}, io.EOF
		}
		done = true
		return src, nil
	}
}

func (a *app) appendAll(ctx context.Context, s *tstore.Store, name string, in rowFile) error {
	bar := a.progress("append to "+printable(name), in.size)
	defer bar.done()
	return s.AppendAll(ctx, name, func() (tstore.Source, error) {
		src, err := in.next()
		src.Progress = bar.update
		return src, err
	})
}

// appendRead adds the elements that a text selects or computes.
func (a *app) appendRead(ctx context.Context, s *tstore.Store, name, text string, how *tstore.EvalOptions) error {
	if err := a.tellNumbers(ctx, s, text); err != nil {
		return err
	}
	r, err := s.Read(ctx, text, how)
	if errors.Is(err, tstore.ErrNotFound) && isSource(text) {
		return fmt.Errorf("there is no file %s, and as elements to read: %w", printable(text), err)
	}
	if err != nil {
		return err
	}

	// Once all is read, and before the rows are committed, it must be of one state: afterwards it
	// may be the rows that have changed it.
	next := once(r.Source())
	err = s.AppendAll(ctx, name, func() (tstore.Source, error) {
		src, err := next()
		if err == io.EOF {
			err = cmp.Or(r.Unchanged(), err)
		}
		return src, err
	})
	return errors.Join(err, r.Close())
}

// rowsOf is the shape of so many rows of a tensor.
func rowsOf(info *tstore.Info, rows int) ([]int, error) {
	shape := info.Layout.Shape()
	if len(shape) == 0 {
		return nil, fmt.Errorf("%q has no axis to grow along: its shape is ()", info.Record.Name)
	}
	shape[0] = rows
	return shape, nil
}

// valueRows returns rows of one value.
func valueRows(info *tstore.Info, value string, rows int) (tstore.Source, error) {
	shape, err := rowsOf(info, rows)
	if err != nil {
		return tstore.Source{}, err
	}

	src := tstore.Source{Spec: tstore.Spec{DType: info.Record.DType, Shape: shape}}
	n, err := src.NumElems()
	if err != nil {
		return src, err
	}

	v, err := dtype.ParseScalar(src.DType, value)
	if err != nil {
		return src, err
	}

	g, err := compute.Constant(src.DType, v)
	if err != nil {
		return src, err
	}

	src.Data = g.Take(n)
	return src, nil
}

// openRows opens a file of rows for a tensor.
func (a *app) openRows(ctx context.Context, info *tstore.Info, file string, f *appendFlags) (rowFile, error) {
	if !f.isRaw([]string{info.Record.Name, file}) {
		return a.openSequence(ctx, file, npy.Options{DType: info.Record.DType, AllowTrailing: f.cut})
	}

	rows := -1
	if f.hasRows {
		rows = f.rows
	}

	shape, err := rowsOf(info, rows)
	if err != nil {
		return rowFile{}, err
	}
	if file == "-" && !f.hasRows {
		return rowFile{}, errors.New("--rows is missing: the length of standard input is not known beforehand")
	}

	in, err := a.openBare(ctx, file, raw.Options{DType: info.Record.DType, Shape: shape, Offset: int64(f.offset), BigEndian: f.bigEndian, AllowTrailing: f.cut})
	if err != nil {
		return rowFile{}, err
	}

	src := in.Source()
	size, err := src.NumBytes()
	if err != nil {
		return rowFile{}, errors.Join(err, in.Close())
	}
	return rowFile{Closer: in, next: once(src), size: size}, nil
}

// openSequence opens a .npy file, or a stream, of one array after another.
func (a *app) openSequence(ctx context.Context, file string, o npy.Options) (rowFile, error) {
	r, err := a.openStream(ctx, file)
	if err != nil {
		return rowFile{}, err
	}
	if r != nil {
		return rowFile{Closer: r, next: o.NewSequence(r).Next}, nil
	}
	seq, err := o.OpenSequence(file)
	if err != nil {
		return rowFile{}, err
	}
	return rowFile{Closer: seq, next: seq.Next, size: max(seq.Size(), 0)}, nil
}
