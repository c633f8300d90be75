package ptxvm

import (
	"math/bits"
	"slices"
)

// A flight is the copies of a thread that it has not waited for.
type flight struct {
	groups [][]transfer // committed, the oldest first
	last   []transfer   // of no group so far
}

// A transfer is a copy to shared memory. Its bytes were read when it began, and are there when the
// thread waited for it.
type transfer struct {
	to   *shared
	at   int
	data []byte
}

// open reports whether there are copies.
func (f *flight) open() bool {
	return len(f.last) > 0 || slices.ContainsFunc(f.groups, func(g []transfer) bool { return len(g) > 0 })
}

// copy begins a copy in each of some threads.
func (w *warp) copy(in *instr, mask uint32) error {
	to, err := w.addresses(in.at, mask)
	if err != nil {
		return err
	}
	from, err := w.addresses(in.from, mask)
	if err != nil {
		return err
	}

	n := uint64(in.count)
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		dst, src := to[lane]+in.at.offset, from[lane]+in.from.offset
		if dst%n != 0 || src%n != 0 {
			return w.fail(rest, "addresses %#x and %#x are not both multiples of %d", dst, src, n)
		}
		data, at, reason := w.read(".global", src, in.count, lane)
		if reason != "" {
			return w.fail(rest, "%s", reason)
		}
		t := transfer{data: append([]byte{}, data[at:at+in.count]...)}
		if t.to, t.at, reason = w.findShared(dst, in.count); reason == "" {
			reason = t.begin(w.first+lane, w.epoch)
		}
		if reason != "" {
			return w.fail(rest, "%s", reason)
		}
		f := &w.flights[lane]
		f.last = append(f.last, t)
	}
	return nil
}

// begin forbids the bytes of a copy to all threads. It counts as a write.
func (t *transfer) begin(thread int, epoch uint32) (reason string) {
	n := len(t.data)
	if reason = t.to.write(t.at, n, thread, epoch); reason != "" {
		return reason
	}
	for i := range n {
		t.to.touches[t.at+i].flight = uint16(thread + 1)
	}
	return ""
}

// end stores the bytes, which other threads may read behind the next barrier.
func (t *transfer) end(thread int, epoch uint32) {
	copy(t.to.data[t.at:], t.data)
	for i := range t.data {
		touch := &t.to.touches[t.at+i]
		touch.flight, touch.writtenIn, touch.writer = 0, epoch, uint16(thread)
	}
}

// commit makes a group of the copies that each thread began since the last one.
func (w *warp) commit(mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		f := &w.flights[bits.TrailingZeros32(mask)]
		f.groups = append(f.groups, f.last)
		f.last = nil
	}
}

// collect ends copies, so that only some groups are left.
func (w *warp) collect(in *instr, mask uint32) error {
	if in.count == allCopies {
		w.commit(mask)
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask)
		f := &w.flights[lane]
		for len(f.groups) > max(in.count, 0) {
			for i := range f.groups[0] {
				f.groups[0][i].end(w.first+lane, w.epoch)
			}
			f.groups = f.groups[1:]
		}
	}
	return nil
}
