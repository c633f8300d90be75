package devicetest

import "slices"

// A Call is a kind of call of a Device or of one of its queues.
type Call string

// The calls that a Device counts. Alloc is one of the allocator, all from Stage on are of queues.
const (
	Alloc    Call = "alloc"
	Compile  Call = "compile"
	NewQueue Call = "new queue"
	Stage    Call = "stage"
	Memory   Call = "memory"
	Upload   Call = "upload"
	Launch   Call = "launch"
	Download Call = "download"
	Wait     Call = "wait"
)

// A Fault is a call that does nothing and fails.
type Fault struct {
	Call Call
	// At is which of the calls of its kind fails, from 1.
	At int
	// Err is what it returns. One that wraps device.ErrLost loses the device.
	Err error
	// Late has an Upload, Launch or Download return nil. Err comes out of a later call of the queue.
	Late bool
}

// late reports whether the fault shows later than the call.
func (f *Fault) late() bool {
	return f.Late && (f.Call == Upload || f.Call == Launch || f.Call == Download)
}

// Fail replaces the faults of the device, and counts its calls anew.
func (d *Device) Fail(faults ...Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.faults = slices.Clone(faults)
	clear(d.mu.calls)
}

// Calls returns how many calls of a kind there were since New or Fail.
func (d *Device) Calls(c Call) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.calls[c]
}

// begin counts a call. It returns the fault that the call is, and why it can't be done.
func (d *Device) begin(c Call) (*Fault, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usableLocked(); err != nil {
		return nil, err
	}

	d.mu.calls[c]++
	for i := range d.mu.faults {
		if f := &d.mu.faults[i]; f.Call == c && f.At == d.mu.calls[c] {
			return f, nil
		}
	}
	return nil, nil
}
