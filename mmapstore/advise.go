package mmapstore

import "fmt"

// Advice tells the system how bytes will be used.
type Advice uint8

const (
	Normal        Advice = iota // forget earlier advice
	Sequential                  // the whole file will be read front to back: read further ahead
	Random                      // do not read ahead
	WillNeed                    // start to read now, without waiting
	DontNeed                    // give the memory back; the bytes stay in the file and come back when touched
	PopulateRead                // read everything now, in a system call instead of faults
	PopulateWrite               // as PopulateRead, ready for stores
)

var adviceNames = [...]string{
	Normal: "normal", Sequential: "sequential", Random: "random", WillNeed: "willneed",
	DontNeed: "dontneed", PopulateRead: "populate-read", PopulateWrite: "populate-write",
}

// String returns a lower-case word such as "populate-read".
func (a Advice) String() string {
	if int(a) < len(adviceNames) {
		return adviceNames[a]
	}
	return fmt.Sprintf("Advice(%d)", uint8(a))
}

// Advise tells the system how the n bytes from off will be used; n < 0 means to the end. Advice
// never changes bytes: DontNeed does nothing where the memory is the only copy, and everything does
// nothing on the Go heap and where the platform lacks it. Only PopulateRead and PopulateWrite
// report that bytes can't be had, as *FaultError.
//
// For long scans populate pieces of 8 MiB ahead of their use, from a goroutine of its own: a fault
// keeps a processor of the Go scheduler waiting for the disk, a system call does not. WillNeed
// costs more than it saves when memory is short.
func (s *Storage) Advise(off, n int64, a Advice) error {
	if err := s.life.pin(); err != nil {
		return err
	}
	defer s.life.unpin()

	n, err := s.clip(off, n)
	switch {
	case err != nil:
		return err
	case int(a) >= len(adviceNames):
		return fmt.Errorf("unknown advice %d: want Normal to PopulateWrite", a)
	case a == PopulateWrite && !s.src.writable:
		return fmt.Errorf("advise %s: %s: %w", a, s.src.name, ErrReadOnly)
	case n == 0:
		return nil
	}

	if err := s.src.advise(s.mem.Load(), s.start+off, n, a); err != nil {
		return fmt.Errorf("advise %s: %w", a, err)
	}

	return nil
}
