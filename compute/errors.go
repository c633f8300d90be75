package compute

import "fmt"

// maxQuoted is the longest text that an error message repeats.
const maxQuoted = 200

// An ExprError says where the text of an expression is wrong. It wraps what is wrong there.
type ExprError struct {
	Text string // the whole text
	Pos  int    // the byte it goes wrong at, from 0; len(Text) is the end
	Err  error
}

func (e *ExprError) Error() string {
	if len(e.Text) > maxQuoted {
		return fmt.Sprintf("expression, position %d: %v", e.Pos, e.Err)
	}
	return fmt.Sprintf("expression %q, position %d: %v", e.Text, e.Pos, e.Err)
}

func (e *ExprError) Unwrap() error { return e.Err }

// errorf returns an error at a place, which is an *ExprError if the place is in a text.
func (p place) errorf(format string, args ...any) error {
	return p.wrap(fmt.Errorf(format, args...))
}

// wrap is errorf for an error, or nil. One that has a place already stays as it is.
func (p place) wrap(err error) error {
	if _, placed := err.(*ExprError); placed || err == nil || p.text == "" {
		return err
	}
	return &ExprError{Text: p.text, Pos: p.pos, Err: err}
}
