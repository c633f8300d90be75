package ptxvm

import "fmt"

// A shared is shared memory of a block: its bytes, and who touched them since the last barrier.
// Barriers are counted, and so are the begins of blocks: a byte that was written before the block
// began was never written.
type shared struct {
	data    []byte
	touches []touch // of each byte
	first   uint32  // the epoch in which the block began
}

// A touch is what happened to a byte.
type touch struct {
	writtenIn uint32 // the epochs of its last write and read
	readIn    uint32
	writer    uint16 // threads
	reader    uint16 // or several
	flight    uint16 // 1 and the thread whose copy to it is under way, 0 if none is
}

// several is the reader of a byte that more than one thread read.
const several = 1<<16 - 1

func newShared(n int) shared { return shared{data: make([]byte, n), touches: make([]touch, n)} }

// begin forgets what was written.
func (s *shared) begin(epoch uint32) {
	s.first = epoch
	for i := range s.touches {
		s.touches[i].flight = 0
	}
}

// findShared returns the memory of n bytes and where they are there.
func (g *grid) findShared(address uint64, n int) (s *shared, at int, reason string) {
	s = &g.shared[0]
	base := uint64(sharedBase)
	if address >= dynamicBase {
		s, base = &g.shared[1], dynamicBase
	}
	if address < base || address-base+uint64(n) > uint64(len(s.data)) {
		return s, 0, fmt.Sprintf("address %#x is outside of shared memory", address)
	}
	return s, int(address - base), ""
}

// read notes that a thread reads n bytes. It returns why it may not, if so.
func (s *shared) read(at, n, thread int, epoch uint32) (reason string) {
	for i := range s.touches[at : at+n] {
		t := &s.touches[at+i]
		switch {
		case t.flight != 0:
			return inFlight(t)
		case t.writtenIn < s.first:
			return "the shared memory was never written"
		case t.writtenIn == epoch && int(t.writer) != thread:
			return fmt.Sprintf("a race: thread %d wrote the shared byte, with no barrier since", t.writer)
		}

		if t.readIn != epoch {
			t.readIn, t.reader = epoch, uint16(thread)
		} else if int(t.reader) != thread {
			t.reader = several
		}
	}
	return ""
}

// write is read of a thread that writes.
func (s *shared) write(at, n, thread int, epoch uint32) (reason string) {
	for i := range s.touches[at : at+n] {
		t := &s.touches[at+i]
		switch {
		case t.flight != 0:
			return inFlight(t)
		case t.writtenIn == epoch && int(t.writer) != thread:
			return fmt.Sprintf("a race: thread %d wrote the shared byte, with no barrier since", t.writer)
		case t.readIn == epoch && int(t.reader) != thread:
			return "a race: another thread read the shared byte, with no barrier since"
		}
		t.writtenIn, t.writer = epoch, uint16(thread)
	}
	return ""
}

func inFlight(t *touch) string {
	return fmt.Sprintf("the copy of thread %d to the shared byte was not waited for", t.flight-1)
}
