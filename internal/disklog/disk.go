package disklog

import (
	"io"
	"math/rand/v2"
)

// sector is what a disk writes in full or not at all, in bytes.
const sector = 512

// tornShare is the share of these writes of which only the beginning reaches the medium.
const tornShare = 0.1

// Disk goes through a log.
type Disk struct {
	events  []Event
	medium  io.WriterAt
	next    int
	mark    int64
	pending []Event
}

// NewDisk begins before the first event. medium has the bytes that the disk had then, and gets what
// becomes durable.
func NewDisk(events []Event, medium io.WriterAt) *Disk { return &Disk{events: events, medium: medium} }

// Go applies the events up to event n, which it leaves out. n must not be less than in the call
// before.
func (d *Disk) Go(n int) error {
	for ; d.next < n; d.next++ {
		switch e := d.events[d.next]; e.Kind {
		case Write:
			d.pending = append(d.pending, e)
		case Mark:
			d.mark = e.Off
		case Flush:
			if err := write(d.medium, d.pending); err != nil {
				return err
			}
			d.pending = nil
		}
	}
	return nil
}

func write(to io.WriterAt, events []Event) error {
	for _, e := range events {
		if _, err := to.WriteAt(e.Data, e.Off); err != nil {
			return err
		}
	}
	return nil
}

// Mark returns the number of the last Mark, 0 before the first.
func (d *Disk) Mark() int64 { return d.mark }

// Pending returns the number of writes that are on their way to the medium.
func (d *Disk) Pending() int { return len(d.pending) }

// Cut writes to image, a copy of the medium, what a power cut at this point lets through: the given
// share of the pending writes, some of them torn at a sector. Of sectors written twice the later
// write wins, if both are let through.
func (d *Disk) Cut(image io.WriterAt, rng *rand.Rand, share float64) error {
	var through []Event
	for _, e := range d.pending {
		if rng.Float64() >= share {
			continue
		}
		if sectors := len(e.Data) / sector; sectors > 1 && share < 1 && rng.Float64() < tornShare {
			e.Data = e.Data[:sector*(1+rng.IntN(sectors-1))]
		}
		through = append(through, e)
	}
	return write(image, through)
}
