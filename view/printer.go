package view

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
)

// maxSummary is the most elements that a summary may have.
const maxSummary = 16 << 20

// A printer is one call of Fprint: the layout of the text, after array2string in NumPy's
// arrayprint.py.
type printer struct {
	ctx       context.Context
	t         *Tensor
	shape     []int // of the array; t has the edges of it, or all
	opts      PrintOptions
	out       *bufio.Writer
	summarise bool
	format    formatter
	word      []byte // one element as text
	visited   int    // elements so far, each counted once for each look at it
}

// printPoll is how many elements are visited between two looks at whether to go on.
const printPoll = 1 << 12

// element returns the element of l, which has no axes.
func (p *printer) element(l Layout) (dtype.Scalar, error) {
	if p.visited++; p.visited%printPoll == 0 {
		if _, err := p.out.Write(nil); err != nil { // of an earlier write
			return dtype.Scalar{}, err
		}
		if p.ctx.Err() != nil {
			return dtype.Scalar{}, context.Cause(p.ctx)
		}
	}
	return p.t.derive(l).Get()
}

func (p *printer) print() error {
	if p.t.Rank() == 0 {
		v, err := p.t.Get()
		if err != nil {
			return err
		}
		_, err = p.out.WriteString(v.String())
		return err
	}

	if p.t.NumElems() == 0 {
		_, err := p.out.WriteString("[]")
		return err
	}

	if err := p.readShape(); err != nil {
		return err
	}

	// All elements that are printed are read twice: first for the width that they have in common.
	p.format = newFormatter(p.t.dt, p.opts)
	err := p.each(p.t.layout, func(v dtype.Scalar) error {
		p.format.observe(v)
		return nil
	})
	if err != nil {
		return err
	}

	return p.block(p.t.layout, 1, p.opts.LineWidth)
}

// readShape finds out what the tensor has of the array that is printed.
func (p *printer) readShape() error {
	p.shape = p.t.Shape()
	if p.opts.Shape != nil {
		p.shape = p.opts.Shape
	}
	edges, summarise, err := p.opts.edges(p.shape)
	if err != nil {
		return err
	}
	p.summarise = summarise
	if got := p.t.Shape(); !slices.Equal(got, edges) && !slices.Equal(got, p.shape) {
		return fmt.Errorf("elements of shape %s are neither an array of shape %s nor the edges of one, which have shape %s", formatShape(got), formatShape(p.shape), formatShape(edges))
	}
	return nil
}

// gap returns the range of indexes of the first axis of l that is left out, which is empty where l
// has no more than the edges.
func (p *printer) gap(l Layout) (from, to int) {
	n, edge := l.axes[0].n, p.opts.EdgeItems
	if size := p.shape[len(p.shape)-l.Rank()]; p.summarise && edge < size-edge {
		return edge, n - edge
	}
	return n, n
}

// each calls fn with the printed elements of l.
func (p *printer) each(l Layout, fn func(dtype.Scalar) error) error {
	if l.Rank() == 0 {
		v, err := p.element(l)
		if err != nil {
			return err
		}
		return fn(v)
	}

	n := l.axes[0].n
	from, to := p.gap(l)

	for i := 0; i < n; i++ {
		if i == from {
			i = to
		}
		if err := p.each(l.first(i), fn); err != nil {
			return err
		}
	}
	return nil
}

// first returns the part of l at index i of its first axis, sharing the rest.
func (l Layout) first(i int) Layout {
	return Layout{axes: l.axes[1:], offset: l.offset + i*l.axes[0].stride}
}

// block prints l in brackets. Its lines after the first are indented by indent spaces, and wrapped
// before width characters.
func (p *printer) block(l Layout, indent, width int) error {
	p.out.WriteByte('[')
	var err error
	if l.Rank() == 1 {
		err = p.row(l, indent, width-1)
	} else {
		err = p.rows(l, indent, width)
	}
	if err != nil {
		return err
	}
	return p.out.WriteByte(']')
}

// rows prints the blocks along the first axis of l.
func (p *printer) rows(l Layout, indent, width int) error {
	n := l.axes[0].n
	from, to := p.gap(l)

	for i := 0; i < n; i++ {
		if i > 0 {
			p.breakLine(l.Rank()-1, indent)
		}

		if i == from {
			p.out.WriteString("...")
			p.breakLine(l.Rank()-1, indent)
			i = to
		}

		if err := p.block(l.first(i), indent+1, width-1); err != nil {
			return err
		}
	}
	return nil
}

// breakLine starts a new line after count line ends.
func (p *printer) breakLine(count, indent int) {
	for range count {
		p.out.WriteByte('\n')
	}
	p.space(indent)
}

func (p *printer) space(n int) {
	for range n {
		p.out.WriteByte(' ')
	}
}

// row prints the elements of l, which has one axis.
func (p *printer) row(l Layout, indent, width int) error {
	n := l.axes[0].n
	from, to := p.gap(l)

	line := rowLine{p: p, indent: indent, width: width, used: indent}
	for i := 0; i < n; i++ {
		if i == from {
			line.add([]byte("..."))
			i = to
		}

		v, err := p.element(l.first(i))
		if err != nil {
			return err
		}

		p.word = p.format.append(p.word[:0], v)
		line.add(p.word)
	}

	line.end()
	return nil
}

// A rowLine wraps the words of a row. Spaces at the end of a line are dropped, so they are held
// back until more follows; those before the closing bracket are kept.
type rowLine struct {
	p             *printer
	indent, width int
	used          int // characters in the line, its indent included
	held          int // spaces not written yet, counted in used
}

// add puts one word after the others, on a new line if it does not fit.
func (r *rowLine) add(word []byte) {
	if r.used > r.indent {
		r.used++
		r.held++
	}
	if r.used > r.indent && r.used+len(word) > r.width {
		r.p.breakLine(1, r.indent)
		r.used, r.held = r.indent, 0
	}
	text := bytes.TrimRight(word, " ")
	r.end()
	r.p.out.Write(text)
	r.used += len(word)
	r.held = len(word) - len(text)
}

// end writes the spaces that were held back.
func (r *rowLine) end() {
	r.p.space(r.held)
	r.held = 0
}
