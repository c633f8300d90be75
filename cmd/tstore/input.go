package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/interchange/raw"
)

// input is a file of elements: *npy.File or *raw.File.
type input interface {
	Source() tstore.Source
	Foreign() (tstore.Foreign, error)
	Close() error
}

// inputFlags say what is in a file that does not say so itself.
type inputFlags struct {
	elements            elementFlags
	offset              bytesFlag
	raw, bigEndian, cut bool
}

func (f *inputFlags) register(flags *pflag.FlagSet) {
	f.elements.register(flags)
	flags.BoolVar(&f.raw, "raw", false, "the file holds bare elements and nothing that describes them")
	flags.Var(&f.offset, "offset", "bare elements begin after so many bytes")
	flags.BoolVar(&f.bigEndian, "big-endian", false, "bare elements have their highest byte first")
	flags.BoolVar(&f.cut, "allow-trailing", false, "leave out bytes behind the elements")
}

// isRaw reports whether a file holds bare elements: by --raw, or by its extension. Flags that
// describe them don't tell: text is no bare elements.
func (f *inputFlags) isRaw(file string) bool { return f.raw || hasRawName(file) }

// isEndless reports whether a file is a stream of bare elements whose number only its end tells.
func (f *inputFlags) isEndless(file string) bool {
	if !f.isRaw(file) || file != "-" && !isPipe(file) {
		return false
	}
	sp, err := f.elements.parse()
	return err == nil && (sp.Shape == nil || len(sp.Shape) > 0 && sp.Shape[0] == -1)
}

// bare reports whether the flags describe bare elements, so that such files in a folder are meant.
func (f *inputFlags) bare() bool { return f.raw || f.elements.dtype != "" }

// hasRawName reports whether a file is named as one of bare elements.
func hasRawName(file string) bool {
	return slices.Contains(rawExtensions, strings.ToLower(filepath.Ext(file)))
}

// open opens a file, or standard input when its name is "-". given says which flags were given.
func (a *app) openInput(ctx context.Context, file string, f *inputFlags, given func(flag string) bool) (input, error) {
	if f.isRaw(file) {
		return a.openRaw(ctx, file, f)
	}

	o := npy.Options{AllowTrailing: f.cut}
	if f.elements.dtype != "" {
		t, err := dtype.Parse(f.elements.dtype)
		if err != nil {
			return nil, err
		}
		o.DType = t
	}

	in, err := a.openNpy(ctx, file, o)
	if err != nil {
		return nil, err
	}

	// Refuse flags that the file contradicts only once it is known to be a .npy file.
	for _, flag := range []string{"shape", "offset", "order", "big-endian"} {
		if given(flag) {
			err := fmt.Errorf("%s: --%s is for bare elements: a .npy file says it itself (--raw reads any file as bare elements)", file, flag)
			return nil, errors.Join(err, in.Close())
		}
	}

	return in, nil
}

func (a *app) openRaw(ctx context.Context, file string, f *inputFlags) (input, error) {
	sp, err := f.elements.parse()
	if err != nil {
		return nil, fmt.Errorf("bare elements of %s: %w", file, err)
	}
	return a.openBare(ctx, file, raw.Options{
		DType: sp.DType, Shape: sp.Shape, Order: sp.Order,
		Offset: int64(f.offset), BigEndian: f.bigEndian, AllowTrailing: f.cut,
	})
}

// asInput keeps a nil *File from being an input that is not nil.
func asInput[F input](f F, err error) (input, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// withInput runs fn on a file and closes it.
func (a *app) withInput(ctx context.Context, file string, f *inputFlags, given func(flag string) bool, fn func(input) error) error {
	in, err := a.openInput(ctx, file, f, given)
	if err != nil {
		return err
	}
	return errors.Join(fn(in), in.Close())
}
