package catalog

import (
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The limits of a formula.
const (
	MaxFormulaBytes  = 64 << 10 // of its text
	MaxFormulaInputs = 4096
)

// Formula is what elements are computed from: the text of an expression, which the catalog stores and does not
// understand, and what it reads. The zero Formula is none.
type Formula struct {
	Text   string
	Inputs []Input
}

// Input is a name that a formula reads, as it was when the formula was last computed or defined. An input that has
// been renamed or deleted since is not found under its name; nothing keeps it.
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

func encodeFormula(f Formula) []byte {
	b := appendText(nil, 1, f.Text)
	for _, in := range f.Inputs {
		b = appendBytes(b, 2, encodeInput(in))
	}
	return b
}

func encodeInput(in Input) []byte {
	b := appendText(nil, 1, in.Name)
	b = appendUint(b, 2, in.Version)
	if !in.Storage.IsZero() {
		b = appendBytes(b, 3, in.Storage[:])
	}
	return appendUint(b, 4, uint64(in.Created))
}

func decodeFormula(message []byte) (Formula, error) {
	var out Formula
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return Formula{}, err
		case f.is(1, protowire.BytesType):
			out.Text = string(f.b)
		case f.is(2, protowire.BytesType):
			if len(out.Inputs) == MaxFormulaInputs {
				return Formula{}, fmt.Errorf("more than %d inputs", MaxFormulaInputs)
			}
			in, err := decodeInput(f.b)
			if err != nil {
				return Formula{}, err
			}
			out.Inputs = append(out.Inputs, in)
		}
	}
	return out, nil
}

func decodeInput(message []byte) (Input, error) {
	var in Input
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return Input{}, err
		case f.is(1, protowire.BytesType):
			in.Name = string(f.b)
		case f.is(2, protowire.VarintType):
			in.Version = f.u
		case f.is(3, protowire.BytesType):
			if in.Storage, err = wireID(f.b); err != nil {
				return Input{}, err
			}
		case f.is(4, protowire.VarintType):
			in.Created = int64(f.u)
		}
	}
	return in, nil
}
