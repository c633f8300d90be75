package powercut

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// disk is what is durable, and what is on its way there.
type disk struct {
	files map[int]*content
	names map[string]entry
	// pending are changes of names in their order.
	pending []Event
}

type content struct {
	durable []byte
	pending []change
}

type entry struct {
	id  int
	dir bool
}

func newDisk() *disk { return &disk{files: map[int]*content{}, names: map[string]entry{}} }

func (d *disk) put(rel string, id int, dir bool, data []byte) {
	d.names[rel] = entry{id, dir}
	d.files[id] = &content{durable: data}
}

func (d *disk) clone() *disk {
	c := &disk{files: map[int]*content{}, names: maps.Clone(d.names), pending: slices.Clone(d.pending)}
	for id, f := range d.files {
		c.files[id] = &content{slices.Clone(f.durable), slices.Clone(f.pending)}
	}
	return c
}

func (d *disk) file(id int) *content {
	if d.files[id] == nil {
		d.files[id] = &content{}
	}
	return d.files[id]
}

func (d *disk) apply(e Event) {
	switch e.Kind {
	case Write:
		f := d.file(e.file)
		f.pending = append(f.pending, e.changes...)
	case Sync:
		f := d.file(e.file)
		f.durable, f.pending = f.with(func() bool { return true }), nil
	case Put:
		d.put(e.Path, e.file, false, e.changes[0].data)
	case SyncDir:
		d.syncDir(e.Path)
	case Create, Mkdir, Rename, Remove:
		d.pending = append(d.pending, e)
	}
}

// syncAll makes everything durable.
func (d *disk) syncAll() {
	for _, f := range d.files {
		f.durable, f.pending = f.with(func() bool { return true }), nil
	}
	for _, e := range d.pending {
		e.rename(d.names)
	}
	d.pending = nil
}

// target returns the name that an event gives or takes.
func (e Event) target() string { return cmp.Or(e.To, e.Path) }

// syncDir makes the changes of names in one folder durable. Pending changes that gave another
// folder a name which is now gone are dropped.
func (d *disk) syncDir(dir string) {
	var left []Event
	for _, e := range d.pending {
		if path.Dir(e.target()) != dir {
			left = append(left, e)
			continue
		}
		e.rename(d.names)
		left = slices.DeleteFunc(left, func(before Event) bool { return before.target() == e.Path })
	}
	d.pending = left
}

// rename changes the names as the event does.
func (e Event) rename(names map[string]entry) {
	switch e.Kind {
	case Create, Mkdir:
		names[e.Path] = entry{e.file, e.Kind == Mkdir}
	case Rename:
		delete(names, e.Path)
		names[e.To] = entry{e.file, false}
	case Remove:
		delete(names, e.Path)
	}
}

// with returns the content after those pending changes that keep chooses. A sector beyond the
// resulting size is lost.
func (c *content) with(keep func() bool) []byte {
	data := slices.Clone(c.durable)
	for _, p := range c.pending {
		if !keep() {
			continue
		}

		// A change without data is a new size: cut, or filled with zeros.
		if p.data == nil {
			grown := make([]byte, p.off)
			copy(grown, data)
			data = grown
			continue
		}

		if p.off < int64(len(data)) {
			copy(data[p.off:], p.data)
		}
	}
	return data
}

// Cut is a point of a Log at which the power may go.
type Cut struct {
	// N counts the events before it.
	N int
	// Mark is the last one before it.
	Mark int
	// Pending is how much is volatile: sectors, sizes and names.
	Pending int

	disk *disk
}

// Cuts calls visit for each point of the log, until it returns an error.
func (l *Log) Cuts(visit func(*Cut) error) error {
	d := l.start.clone()
	mark := 0

	for i, e := range l.events {
		if e.Kind == Mark {
			mark = e.Mark
		}

		d.apply(e)
		c := &Cut{N: i + 1, Mark: mark, Pending: len(d.pending), disk: d}
		for _, f := range d.files {
			c.Pending += len(f.pending)
		}

		if err := visit(c); err != nil {
			return err
		}
	}
	return nil
}

// Write makes the folder dir of what is durable and of a share of the rest, which rng chooses.
func (c *Cut) Write(dir string, rng *rand.Rand, share float64) error {
	keep := func() bool { return rng.Float64() < share }

	names := maps.Clone(c.disk.names)
	// A rename is kept or lost as a whole; the content of each file is chosen apart from its name.
	for _, e := range c.disk.pending {
		if keep() {
			e.rename(names)
		}
	}

	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	// In sorted order a folder comes before what is in it.
	for _, rel := range slices.Sorted(maps.Keys(names)) {
		name := filepath.Join(dir, filepath.FromSlash(rel))
		var err error
		if names[rel].dir {
			err = os.Mkdir(name, 0o755)
		} else {
			err = os.WriteFile(name, c.disk.file(names[rel].id).with(keep), 0o644)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // its folder is lost
			return err
		}
	}
	return nil
}
