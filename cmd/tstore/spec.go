package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

// labelFlags are what a new tensor may be given beside its elements.
type labelFlags struct {
	dims, attrs []string
}

func (f *labelFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.dims, "dims", nil, "names of the axes, such as time,lat,lon")
	flags.StringArrayVar(&f.attrs, "attr", nil, "an attribute KEY=VALUE (repeatable)")
}

// apply puts the labels into a description.
func (f *labelFlags) apply(sp *tstore.Spec) error {
	attrs, err := parseAttrs(f.attrs)
	if err != nil {
		return err
	}
	sp.Dims, sp.Attrs = f.dims, attrs
	return nil
}

// parseAttrs reads "key=value" pairs; values have the type that they look like.
func parseAttrs(pairs []string) (map[string]catalog.Value, error) {
	if len(pairs) == 0 {
		return nil, nil
	}

	attrs := make(map[string]catalog.Value, len(pairs))
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("attribute %q: want KEY=VALUE", pair)
		}

		if _, twice := attrs[key]; twice {
			return nil, fmt.Errorf("attribute %q: given twice", key)
		}

		v, err := catalog.ParseValue(text)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", key, err)
		}
		attrs[key] = v
	}

	return attrs, nil
}

// elementFlags describe elements that no file describes.
type elementFlags struct {
	dtype, shape, order string
}

func (f *elementFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.dtype, "dtype", "", "type of the elements, such as float32")
	flags.StringVar(&f.shape, "shape", "", "length of each axis, such as 3,4")
	flags.StringVar(&f.order, "order", "C", "how elements follow one another: C (last axis fastest) or F (first axis fastest)")
}

// parse reads the dtype and, when they are given, shape and order.
func (f *elementFlags) parse() (sp tstore.Spec, err error) {
	if f.dtype == "" {
		return sp, errors.New("--dtype is missing: the type of the elements, such as float32")
	}
	if sp.DType, err = dtype.Parse(f.dtype); err != nil {
		return sp, err
	}
	if f.shape != "" {
		if sp.Shape, err = parseShape(f.shape); err != nil {
			return sp, err
		}
	}
	sp.Order, err = parseOrder(f.order)
	return sp, err
}

func parseOrder(text string) (tstore.Order, error) {
	switch strings.ToUpper(text) {
	case "C":
		return tstore.RowMajor, nil
	case "F":
		return tstore.ColumnMajor, nil
	}
	return 0, fmt.Errorf("order %q: want C or F", text)
}

// reserveFlag says when a new tensor takes its disk space.
type reserveFlag tstore.Reserve

func (f *reserveFlag) String() string {
	if tstore.Reserve(*f) == tstore.Sparse {
		return "sparse"
	}
	return "preallocate"
}

// Set reads "preallocate" or "sparse".
func (f *reserveFlag) Set(text string) error {
	switch text {
	case "preallocate":
		*f = reserveFlag(tstore.Preallocate)
	case "sparse":
		*f = reserveFlag(tstore.Sparse)
	default:
		return errors.New("want preallocate or sparse")
	}
	return nil
}

// Type returns the placeholder that help shows.
func (f *reserveFlag) Type() string { return "how" }
