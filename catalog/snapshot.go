package catalog

import (
	"fmt"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// Snapshot names a state that the catalog had: an unchanging copy of the database in a file of its
// own, an Image when it is open. No elements are copied; the files of storages that the state names
// stay, see Tx.Held.
type Snapshot struct {
	Name    string
	ID      ID        // names the file
	Seq     uint64    // 1 for a catalog's first snapshot, greater for each later one; never used again
	Created time.Time // UTC
	Note    string    // what a person said of it
	Bytes   int64     // of the file
	Sum     uint32    // CRC-32C of the file
}

// File returns the path of the snapshot's file, relative to the store: "snapshots/ab12….db".
func (s Snapshot) File() string { return "snapshots/" + s.ID.String() + ".db" }

// CheckSnapshotName says whether name can name a snapshot: as CheckName, and without a slash.
func CheckSnapshotName(name string) error {
	if strings.Contains(name, "/") {
		return fmt.Errorf("%w %q: a snapshot's name has no slash", ErrBadName, name)
	}
	return CheckName(name)
}

// checkSource says whether text is a name, or a name in a snapshot: "x@monday".
func checkSource(text string) error {
	name, snapshot, at := strings.Cut(text, "@")
	if err := CheckName(name); err != nil || !at {
		return err
	}
	return CheckSnapshotName(snapshot)
}

// check says whether s can be stored.
func (s *Snapshot) check() error {
	switch {
	case s.ID.IsZero():
		return fmt.Errorf("%w snapshot %q: its id is zero", ErrInvalid, s.Name)
	case s.Seq == 0:
		return fmt.Errorf("%w snapshot %q: its number is zero", ErrInvalid, s.Name)
	case s.Bytes <= 0:
		return fmt.Errorf("%w snapshot %q: a file of %d bytes", ErrInvalid, s.Name, s.Bytes)
	}
	if err := CheckSnapshotName(s.Name); err != nil {
		return err
	}
	if err := checkText("note", s.Note); err != nil {
		return err
	}
	return checkTime(s.Created)
}

func encodeSnapshot(s *Snapshot) []byte { return wire.Encode(s, (*Snapshot).fields) }

// decodeSnapshot reads a message that may hold anything, and returns only valid snapshots.
func decodeSnapshot(name string, message []byte) (Snapshot, error) {
	s := Snapshot{Name: name}
	if err := wire.Decode(message, &s, (*Snapshot).fields); err != nil {
		return Snapshot{}, err
	}
	return s, s.check()
}

func (s *Snapshot) fields(c *wire.Coder) {
	c.Array(1, true, s.ID[:])
	c.Uint(2, &s.Seq)
	c.Time(3, &s.Created)
	c.Text(4, &s.Note)
	c.Count(5, &s.Bytes)
	c.Uint32(6, &s.Sum)
}
