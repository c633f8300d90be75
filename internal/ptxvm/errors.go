package ptxvm

import "fmt"

// An Error is what is wrong with a text, or with what a thread did.
type Error struct {
	Line   int    // of the text, from 1
	Source string // the instruction, if there is one
	Block  [3]int // where the thread is, of an error of Launch
	Thread [3]int
	Reason string

	running bool
}

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("line %d: ", e.Line)
	if e.Source != "" {
		text += e.Source + ": "
	}
	if e.running {
		text += fmt.Sprintf("thread %v of block %v: ", e.Thread, e.Block)
	}
	return text + e.Reason
}

// refuse ends reading a text with an Error, which Load returns.
func refuse(line int, format string, args ...any) {
	panic(&Error{Line: line, Reason: fmt.Sprintf(format, args...)})
}

// refusal returns the Error that ended a call of read, nil if none did.
func refusal(read func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			err = r
		default:
			panic(r)
		}
	}()
	read()
	return nil
}
