package catalog

import (
	"fmt"
	"unicode/utf8"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// The limits of a formula.
const (
	MaxFormulaBytes  = 64 << 10 // of its text
	MaxFormulaInputs = 4096
)

// Formula is what elements are computed from: the text of an expression, which the catalog stores
// and does not understand, and what it reads. The zero Formula is none.
type Formula struct {
	Text   string
	Inputs []Input
}

// Input is a name that a formula reads, as it was when the formula was last computed or defined. An
// input that has been renamed or deleted since is not found under its name; nothing keeps it.
type Input struct {
	Name    string // or one in a snapshot, "x@monday"
	Version uint64 // of a tensor what it shows: its record's version plus its storage's changes
	Storage ID     // of a tensor; zero for a lazy name
	Created int64  // when the record was made, in nanoseconds since 1970: tells another one of the same name
}

// IsZero says that there is no formula.
func (f Formula) IsZero() bool { return f.Text == "" && len(f.Inputs) == 0 }

func (f Formula) check() error {
	switch {
	case len(f.Text) > MaxFormulaBytes || !utf8.ValidString(f.Text):
		return fmt.Errorf("%w formula %.40q: expected at most %d bytes of valid UTF-8", ErrInvalid, f.Text, MaxFormulaBytes)
	case f.Text == "" && len(f.Inputs) != 0:
		return fmt.Errorf("%w formula: it has inputs and no text", ErrInvalid)
	case len(f.Inputs) > MaxFormulaInputs:
		return fmt.Errorf("%w formula: %d inputs, at most %d are allowed", ErrInvalid, len(f.Inputs), MaxFormulaInputs)
	}
	for _, in := range f.Inputs {
		if err := checkSource(in.Name); err != nil {
			return fmt.Errorf("%w formula: input: %w", ErrInvalid, err)
		}
	}
	return nil
}

func (f *Formula) fields(c *wire.Coder) {
	c.Text(1, &f.Text)
	wire.List(c, 2, MaxFormulaInputs, &f.Inputs, (*Input).fields)
}

func (in *Input) fields(c *wire.Coder) {
	c.Text(1, &in.Name)
	c.Uint(2, &in.Version)
	c.Array(3, !in.Storage.IsZero(), in.Storage[:])
	c.Int(4, &in.Created)
}
