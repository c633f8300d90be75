package compute

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// A PanicError is the value with which Apply and similar functions panic if a function of the
// caller panicked.
type PanicError struct {
	Value any    // of the panic
	Stack []byte // where it was, as debug.Stack prints it
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("%v\n\nin a function given to compute:\n%s", e.Value, e.Stack)
}

// Unwrap returns Value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// A userCode is functions of the caller, which run in several goroutines: what would end one of
// these ends the goroutine of the caller instead.
type userCode struct {
	exited   atomic.Bool
	panicked atomic.Pointer[PanicError] // the first one
}

// run calls fn and turns a panic into an error. A memory fault passes through to the guard of the
// storages.
func (u *userCode) run(fn func()) (err error) {
	// returned tells a return from runtime.Goexit: recover returns nil after both.
	returned := false
	defer func() {
		if returned {
			return
		}
		switch p := recover().(type) {
		case nil:
			u.exited.Store(true) // by runtime.Goexit
		case interface{ Addr() uintptr }:
			panic(p)
		default:
			caught := &PanicError{p, debug.Stack()}
			u.panicked.CompareAndSwap(nil, caught)
			err = caught
		}
	}()

	fn()
	returned = true
	return nil
}

// end repeats a panic or an exit of the functions, if there was one, in the goroutine of the
// caller.
func (u *userCode) end() {
	if u.exited.Load() {
		runtime.Goexit()
	}
	if p := u.panicked.Load(); p != nil {
		panic(p)
	}
}
