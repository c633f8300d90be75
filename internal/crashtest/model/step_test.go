package model

import (
	"fmt"
	"strings"
)

// step is one thing done to a store. Which fields mean something depends on Do.
type step struct {
	Do     string
	Handle int      `json:",omitempty"` // which handle does it
	Tx     int      `json:",omitempty"` // the open transaction that it is part of
	Name   string   `json:",omitempty"`
	To     string   `json:",omitempty"`
	Names  []string `json:",omitempty"`
	DType  string   `json:",omitempty"`
	Shape  []int    `json:",omitempty"`
	Order  string   `json:",omitempty"` // "F": column-major
	First  int64    `json:",omitempty"` // the first element, or the only one
	Part   part     `json:",omitzero"`
	Stmts  []stmt   `json:",omitempty"`
	Expr   expr     `json:",omitzero"`
	Flag   bool     `json:",omitempty"` // seal, overwrite, in place, since: what the kind has one of
	Count  int      `json:",omitempty"`
	GPU    bool     `json:",omitempty"` // computed on a device
	Sub    []step   `json:",omitempty"` // of a transaction
	Fail   int      `json:",omitempty"` // the file operation that fails
}

// String is the step as a line of a history.
func (s step) String() string {
	var b strings.Builder
	if s.Tx > 0 {
		fmt.Fprintf(&b, "tx%d: ", s.Tx)
	}
	fmt.Fprintf(&b, "%s", s.Do)
	if s.Name != "" {
		fmt.Fprintf(&b, " %s%s", s.Name, s.Part)
	}
	for _, name := range s.Names {
		fmt.Fprintf(&b, " %s", name)
	}
	if s.To != "" {
		fmt.Fprintf(&b, " to %s", s.To)
	}
	if s.DType != "" {
		fmt.Fprintf(&b, " %s", s.DType)
	}
	if s.Shape != nil {
		fmt.Fprintf(&b, " shape %v%s", s.Shape, s.Order)
	}
	if s.First != 0 {
		fmt.Fprintf(&b, " value %d", s.First)
	}
	if s.Stmts != nil {
		fmt.Fprintf(&b, " '%s'", program(s.Stmts))
	}
	for _, sub := range s.Sub {
		fmt.Fprintf(&b, " {%v}", sub)
	}
	if s.Expr.Op != "" {
		fmt.Fprintf(&b, " '%s'", s.Expr)
	}
	if s.Count > 0 {
		fmt.Fprintf(&b, " number %d", s.Count)
	}
	if s.Flag {
		b.WriteString(" with " + flagOf[s.Do])
	}
	if s.GPU {
		b.WriteString(" on a device")
	}
	if s.Fail > 0 {
		fmt.Fprintf(&b, ", file operation %d fails", s.Fail)
	}
	if s.Handle > 0 {
		fmt.Fprintf(&b, " (handle %d)", s.Handle)
	}
	return b.String()
}

// flagOf says what Flag means.
var flagOf = map[string]string{
	"create": "fill function", "import": "seal", "pack": "seal", "eval": "--in-place", "define": "--materialize",
	"tar": "--since", "write": "the handle dropped", "replace": "fill function", "copy": "--overwrite",
	"update": "an error in the end", "store": "a flush",
}
