package mmapstore

import "runtime/debug"

// addressed is what the run-time error of a memory fault implements, see
// [runtime/debug.SetPanicOnFault].
type addressed interface {
	error
	Addr() uintptr
}

// Guard calls fn and returns its error. A fault on the mapping of s while fn runs, in Go code or
// assembly, ends fn and is returned as *FaultError; faults elsewhere and other panics go on. The
// caller holds a pin of s.
//
// The guard covers the calling goroutine only: each worker guards itself. Guards nest. Guard costs
// about 15 ns, so it belongs around a chunk of work.
func (s *Storage) Guard(fn func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if p := recover(); p != nil {
			if err = s.faultOf(p); err == nil {
				panic(p)
			}
		}
	}()
	return fn()
}

// GuardAll is Guard over several storages at once: for code that touches all of them.
func GuardAll(fn func() error, storages ...*Storage) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if p := recover(); p != nil {
			if err = firstFaultOf(p, storages); err == nil {
				panic(p)
			}
		}
	}()
	return fn()
}

func firstFaultOf(p any, storages []*Storage) error {
	for _, s := range storages {
		if err := s.faultOf(p); err != nil {
			return err
		}
	}
	return nil
}

// faultOf turns the value of a panic into a *FaultError if it is a fault on the mapping of s, and
// into nil if it is anything else.
func (s *Storage) faultOf(p any) error {
	fault, ok := p.(addressed)
	if !ok {
		return nil
	}
	if text := describeClosed(fault.Addr()); text != "" {
		panic("BUG: " + text)
	}
	off, ok := s.mem.Load().locate(fault.Addr())
	if !ok {
		return nil
	}
	return s.src.faultAt(off)
}
