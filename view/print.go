package view

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// PrintOptions are NumPy's print options. The zero value is NumPy's defaults; where 0 itself is
// wanted, a negative number says so.
type PrintOptions struct {
	Precision int  // most digits after the decimal point; 0 means 8, negative none
	Threshold int  // most elements that are all printed; 0 means 1000, negative none
	EdgeItems int  // items printed at either end of a longer axis; 0 means 3
	LineWidth int  // characters a line is wrapped at; 0 means 75
	Suppress  bool // print small floats as 0 instead of turning to scientific notation

	// Shape, if set, is the shape of a larger array. The tensor then has only the elements that the
	// summary of that array shows: see Edges.
	Shape []int
}

// Edges returns the shape of the elements of an array that Fprint prints. It is the array's own
// shape, unless the array is so large that it is summarised: then its longer axes have 2*EdgeItems.
// A tensor of only these elements, from either end of each axis, is printed like the array if Shape
// has the array's shape.
func (o *PrintOptions) Edges(shape []int) ([]int, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	edges, _, err := opts.edges(shape)
	return edges, err
}

// edges is Edges for options without defaults. It also tells whether the array is summarised.
func (o *PrintOptions) edges(shape []int) (edges []int, summarise bool, err error) {
	l, err := NewLayout(shape...)
	if err != nil {
		return nil, false, err
	}

	edges = l.Shape()
	if l.NumElems() <= o.Threshold {
		return edges, false, nil
	}

	shown := 1
	for axis, n := range edges {
		edges[axis] = min(n, 2*o.EdgeItems)
		if !mulInto(&shown, edges[axis]) || shown > maxSummary {
			return nil, false, fmt.Errorf("the summary of shape %s with %d edge items has more than %d elements", formatShape(shape), o.EdgeItems, maxSummary)
		}
	}

	return edges, true, nil
}

// withDefaults returns the options with every number as it is meant.
func (o *PrintOptions) withDefaults() (PrintOptions, error) {
	var out PrintOptions
	if o != nil {
		out = *o
	}
	if out.EdgeItems < 0 || out.LineWidth < 0 {
		return out, fmt.Errorf("print options: EdgeItems %d and LineWidth %d must not be negative", out.EdgeItems, out.LineWidth)
	}
	out.Precision = orDefault(out.Precision, 8)
	out.Threshold = orDefault(out.Threshold, 1000)
	out.EdgeItems = orDefault(out.EdgeItems, 3)
	out.LineWidth = orDefault(out.LineWidth, 75)
	return out, nil
}

// orDefault returns v, the default for 0, and 0 for a negative v.
func orDefault(v, def int) int {
	if v == 0 {
		return def
	}
	return max(0, v)
}

// Fprint writes t to w exactly as NumPy 2 (from 2.3 on) prints it with str(array); there is no
// newline at the end. Types that NumPy lacks are printed like float16. Only the elements that are
// printed are read, twice, so a tensor larger than memory costs no more than a small one. o may be
// nil.
//
// A tensor with so many axes that even its summary has more than 16 million elements is an error.
func Fprint(w io.Writer, t *Tensor, o *PrintOptions) error {
	return FprintContext(context.Background(), w, t, o)
}

// FprintContext is Fprint that stops when ctx ends. Use it if much is printed.
func FprintContext(ctx context.Context, w io.Writer, t *Tensor, o *PrintOptions) error {
	opts, err := o.withDefaults()
	if err != nil {
		return err
	}
	p := printer{ctx: ctx, t: t, opts: opts, out: bufio.NewWriter(w)}
	if err := p.print(); err != nil {
		return fmt.Errorf("print tensor: %w", err)
	}
	return p.out.Flush()
}
