package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// appendFlags are the flags of append.
type appendFlags struct {
	value          string
	rows, batch    int
	raw, bigEndian bool
	cut            bool
	offset         bytesFlag
	how            computeFlags

	hasValue, hasRows, hasBatch bool
}

func newAppend(a *app) *cobra.Command {
	var f appendFlags
	cmd := &cobra.Command{
		Use:   "append NAME [FILE|SELECTOR]...",
		Short: "Add rows at the end of a tensor",
		Long: `Add the rows of .npy files, or bare elements of the tensor's dtype, at the end of
the first axis. The FILE - is standard input, which is read to its end. Arrays that follow
one another, as several calls of numpy.save leave them, are added one after another.
What is no file is a selector or an expression, whose elements are of the tensor's dtype.
All rows are added in one commit, all or none, but with --batch N each N rows show when
they have come. --value adds rows of one value instead. Other programs that append at the
same time wait for one another; the rows are on disk before the new length shows.`,
		Example: `  tstore append log more.npy
  tstore append log monday.npy tuesday.npy
  tstore append log samples.bin --raw
  python3 batches.py | tstore append log -
  sensor | tstore append log - --raw --batch 60
  tstore append log --value 0 --rows 10
  tstore append log 'more[:2] + 1'`,
		GroupID: groupData,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.hasValue, f.hasRows, f.hasBatch = cmd.Flags().Changed("value"), cmd.Flags().Changed("rows"), cmd.Flags().Changed("batch")
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
	flags.IntVar(&f.rows, "rows", 1, "how many rows, with --value or of bare elements (default there: as many as there are)")
	flags.IntVar(&f.batch, "batch", 0, "commit every `N` rows, so that readers see them")
	flags.BoolVar(&f.raw, "raw", false, "the file holds bare elements")
	flags.Var(&f.offset, "offset", "bare elements begin after so many bytes")
	flags.BoolVar(&f.bigEndian, "big-endian", false, "bare elements have their highest byte first")
	flags.BoolVar(&f.cut, "allow-trailing", false, "leave out what follows the first array, or the bare elements")
	f.how.register(flags)

	return cmd
}

func (f *appendFlags) check(args []string) error {
	switch {
	case len(args) > 1 && f.hasValue:
		return errors.New("expected FILE or --value, found both")
	case len(args) == 1 && !f.hasValue:
		return errors.New("expected FILE or --value, found neither")
	case f.rows < 0:
		return fmt.Errorf("--rows %d: want 0 or more", f.rows)
	case f.hasBatch && f.batch < 1:
		return fmt.Errorf("--batch %d: want 1 or more", f.batch)
	case !slices.ContainsFunc(args[1:], f.isRaw) && (f.hasRows && !f.hasValue || f.offset != 0 || f.bigEndian):
		return errors.New("--rows, --offset and --big-endian are for bare elements: a .npy file says it itself")
	}
	return nil
}

func (f *appendFlags) isRaw(file string) bool { return f.raw || hasRawName(file) }

func (a *app) append(ctx context.Context, s *tstore.Store, args []string, f *appendFlags, how *tstore.EvalOptions) error {
	name := args[0]
	info, err := s.Stat(ctx, name)
	if err != nil {
		return err
	}

	in := &rowFiles{}
	if f.hasValue {
		src, err := valueRows(info, f.value, f.rows)
		if err != nil {
			return fmt.Errorf("append to %q: %w", name, err)
		}
		in.now.next = once(src)
		if in.now.size, err = src.NumBytes(); err != nil {
			return err
		}
	}
	for _, word := range args[1:] {
		in.open = append(in.open, func() (rowFile, error) {
			if !f.isRaw(word) && word != "-" && !isFile(ctx, s, word) {
				return a.openRead(ctx, s, word, how)
			}
			return a.openRows(ctx, info, word, f)
		})
	}

	if f.hasBatch {
		err = appendBatches(ctx, s, info, in.next, f.batch)
	} else {
		err = a.appendAll(ctx, s, name, in)
	}
	return errors.Join(err, in.close())
}
