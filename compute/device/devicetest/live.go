package devicetest

// Live is what was made on a device and neither closed nor freed.
type Live struct {
	Queues, Modules, Blocks int
	DeviceBytes             int64
	StagingBytes            int64
}

// Live returns what there is.
func (d *Device) Live() Live {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.mu.live
	l.DeviceBytes, _ = d.budget.Used()
	return l
}

// count changes what there is.
func (d *Device) count(change func(l *Live)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.mu.live)
}

// Stats is what a device did.
type Stats struct {
	Launches                       int64
	UploadedBytes, DownloadedBytes int64
	MostBytes                      int64 // of its memory that were taken at once
}

// Stats returns what the device did since New. Copies of blocks do not count.
func (d *Device) Stats() Stats {
	_, most := d.budget.Used()
	return Stats{Launches: d.launches.Load(), UploadedBytes: d.up.Load(), DownloadedBytes: d.down.Load(), MostBytes: most}
}

// Mistakes returns the errors that were neither faults nor of memory that is short: what the
// program did wrong.
func (d *Device) Mistakes() []error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]error{}, d.mu.mistakes...)
}
