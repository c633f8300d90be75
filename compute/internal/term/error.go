package term

import "fmt"

// maxQuoted is the longest text that an error message repeats.
const maxQuoted = 200

// An Error says where the text of an expression is wrong. It wraps what is wrong there.
type Error struct {
	Text string // the whole text
	Pos  int    // the byte it goes wrong at, from 0; len(Text) is the end
	Err  error
}

// Error implements error. A long text is left out.
func (e *Error) Error() string {
	if len(e.Text) > maxQuoted {
		return fmt.Sprintf("expression, position %d: %v", e.Pos, e.Err)
	}
	return fmt.Sprintf("expression %q, position %d: %v", e.Text, e.Pos, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an error at a place, which is a *textError if the place is in a text.
func (p Place) Errorf(format string, args ...any) error {
	return p.Wrap(fmt.Errorf(format, args...))
}

// Wrap is errorf for an error, or nil. One that has a place already stays as it is.
func (p Place) Wrap(err error) error {
	if _, placed := err.(*Error); placed || err == nil || p.text == "" {
		return err
	}
	return &Error{Text: p.text, Pos: p.pos, Err: err}
}
