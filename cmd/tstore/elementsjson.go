package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// elementsHead is what stands before the elements in `show --json`.
type elementsHead struct {
	Name     string `json:"name"`
	Selector string `json:"selector"`
	DType    string `json:"dtype"`
	Shape    []int  `json:"shape"`
}

// headOf describes what a text selects or computes.
func headOf(r *tstore.Reading, text string) elementsHead {
	return elementsHead{Name: r.Info.Record.Name, Selector: selectorText(r.Info, text), DType: r.DType().String(), Shape: r.Shape()}
}

// selectorText is a selector in its usual form, or an expression as it was given.
func selectorText(info *tstore.Info, text string) string {
	if info.Selector.Name == "" {
		return text
	}
	return info.Selector.String()
}

// writeElementsJSON writes one object on one line: head, and behind it the key "data" with the
// elements as nested lists. It streams.
func writeElementsJSON(ctx context.Context, w io.Writer, head elementsHead, x compute.Elements) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, strings.TrimSuffix(string(text), "}")+`,"data":`); err != nil {
		return err
	}
	if err := writeNested(ctx, w, x); err != nil {
		return err
	}
	_, err = io.WriteString(w, "}\n")
	return err
}

func writeNested(ctx context.Context, w io.Writer, x compute.Elements) error {
	shape := x.Shape()
	if x.NumElems() == 0 {
		return writeEmpty(w, shape)
	}
	n := 0
	return eachElement(ctx, x, func(s dtype.Scalar) error {
		before, after := brackets(shape, n)
		n++
		text, err := json.Marshal(jsonScalar(s))
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, before+string(text)+after)
		return err
	})
}

// brackets returns the brackets before and after element n, counted in C order.
func brackets(shape []int, n int) (before, after string) {
	opened, closed := 0, 0

	block := 1
	// An element opens, and closes, as many brackets as there are blocks that begin, and end, with
	// it.
	for i := len(shape) - 1; i >= 0; i-- {
		block *= shape[i]
		if n%block == 0 {
			opened++
		}
		if (n+1)%block == 0 {
			closed++
		}
	}

	before = strings.Repeat("[", opened)
	if n > 0 {
		before = "," + before
	}
	return before, strings.Repeat("]", closed)
}

// writeEmpty writes the lists of a tensor without elements: those of the axes before the first
// empty one, as NumPy's tolist does.
func writeEmpty(w io.Writer, shape []int) error {
	var nested func(axis int) string
	nested = func(axis int) string {
		if shape[axis] == 0 {
			return "[]"
		}
		inner := nested(axis + 1)
		return "[" + strings.TrimSuffix(strings.Repeat(inner+",", shape[axis]), ",") + "]"
	}
	_, err := io.WriteString(w, nested(0))
	return err
}
