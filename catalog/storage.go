package catalog

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// State says whether a storage's bytes can be trusted after a crash.
type State uint8

// The states of a storage.
const (
	Clean       State = iota // nobody writes in place
	Dirty                    // a writer said that it would; after a crash the bytes may be torn
	Patching                 // a redo entry is being applied; apply it again
	Quarantined              // found damaged; to be read on explicit request only
	numStates
)

// String returns "clean", "dirty", "patching" or "quarantined".
func (s State) String() string {
	switch s {
	case Clean:
		return "clean"
	case Dirty:
		return "dirty"
	case Patching:
		return "patching"
	case Quarantined:
		return "quarantined"
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}

// Identity is the fingerprint by which an adopted file is known again.
type Identity struct {
	Size, MTimeNs int64
	Inode, Dev    uint64
}

// Storage is what the catalog knows about one run of bytes in a file.
type Storage struct {
	ID           ID
	Gen          uint32 // counts the files that this storage has had; the file's name holds it
	Adopted      bool   // a foreign file, left where it is and never written or removed
	Path         string // adopted: absolute path of the file; else ""
	HeaderBytes  int64  // bytes before the payload
	PayloadBytes int64  // committed bytes of elements
	HeaderSum    uint32 // CRC-32C of the header bytes, as they were written last; 0 for adopted storages
	Sparse       bool   // the file was not allocated in full when it was made
	State        State
	Writer       string   // who made it dirty; "" when clean
	Writers      []Writer // the parts that are being written in place; when it is dirty and there is none, it is all of it
	Identity     Identity // adopted: what the file looked like then
	Refs         int64    // records that use it; kept by Tx.Put, Tx.Delete and Tx.Rename, read-only to others
	Changes      uint64   // counts committed changes of the payload
	Spans        []Span   // those of them that are known to have touched a part of the payload only; see Change
	Boot         string   // the start of the machine since which the system may still have to write the bytes; "" when they are synced
	Seal         *Seal    // nil: not sealed
	Created      time.Time

	// Born is the number of the last snapshot that was made before the present file: newer ones
	// hold the file, see Tx.Held. PutStorage sets it.
	Born uint64
	// NextGen is the least generation that the next file may have; 0 means Gen+1. A storage that
	// was restored from a snapshot has had files that it knows nothing of.
	NextGen uint32
	// Written is how many bytes of the payload the present file has ever had, if that is more than
	// PayloadBytes: the others may be mapped, or a snapshot's, and are not written again.
	// PutStorage does not let it shrink.
	Written int64
	// HeaderWas is the HeaderSum of the file before the commit that made HeaderSum what it is, if
	// the header is written after that commit only: a file that has it is not damaged, its header
	// is out of date. Else it is 0.
	HeaderWas uint32
}

// Next returns the least generation that the next file of the storage may have.
func (s Storage) Next() uint32 { return max(s.Gen+1, s.NextGen) }

// File returns the path of the storage's file: relative to the store, with slashes, as in
// "storages/ab/ab12….npy" (generation 0) or "storages/ab/ab12….3.npy"; absolute for adopted
// storages.
func (s Storage) File() string {
	if s.Adopted {
		return s.Path
	}
	id := s.ID.String()
	if s.Gen == 0 {
		return "storages/" + id[:2] + "/" + id + ".npy"
	}
	return fmt.Sprintf("storages/%s/%s.%d.npy", id[:2], id, s.Gen)
}

// check says whether s can be stored.
func (s *Storage) check() error {
	if what := s.fault(); what != "" {
		return fmt.Errorf("%w storage %s: %s", ErrInvalid, s.ID, what)
	}
	if err := errors.Join(checkText("writer", s.Writer), checkText("start of the machine", s.Boot)); err != nil {
		return err
	}
	return checkTime(s.Created)
}

func (s *Storage) fault() string {
	switch {
	case s.ID.IsZero():
		return "its id is zero"
	case s.HeaderBytes < 0 || s.PayloadBytes < 0 || s.Written < 0 || s.HeaderBytes+s.PayloadBytes < 0:
		return fmt.Sprintf("%d header bytes and %d payload bytes", s.HeaderBytes, s.PayloadBytes)
	case s.State >= numStates:
		return fmt.Sprintf("unknown state %d", s.State)
	case s.Refs < 0:
		return fmt.Sprintf("%d references", s.Refs)
	case !s.Adopted && s.Path != "":
		return "only adopted storages have a path"
	case s.Adopted && !filepath.IsAbs(s.Path):
		return fmt.Sprintf("the adopted path %q is not absolute", s.Path)
	case len(s.Path) > maxPathBytes || !utf8.ValidString(s.Path):
		return fmt.Sprintf("its path is longer than %d bytes or not valid UTF-8", maxPathBytes)
	}

	for _, fault := range []func() string{s.spanFault, s.writersFault} {
		if what := fault(); what != "" {
			return what
		}
	}

	return s.sealFault()
}

// encodeStorage returns the message of a storage. The id is not in it: it is the key.
func encodeStorage(s *Storage) []byte { return wire.Encode(s, (*Storage).fields) }

// decodeStorage reads a message that may hold anything, and returns only valid storages.
func decodeStorage(id ID, message []byte) (Storage, error) {
	s := Storage{ID: id}
	if err := wire.Decode(message, &s, (*Storage).fields); err != nil {
		return Storage{}, err
	}
	return s, s.check()
}

func (s *Storage) fields(c *wire.Coder) {
	c.Uint32(1, &s.Gen)
	c.Bool(2, &s.Adopted)
	c.Text(3, &s.Path)
	c.Count(4, &s.HeaderBytes)
	c.Count(5, &s.PayloadBytes)
	c.Bool(6, &s.Sparse)
	codeKind(c, 7, &s.State, numStates, "storage state")
	c.Text(8, &s.Writer)
	wire.Message(c, 9, s.Identity != Identity{}, &s.Identity, (*Identity).fields)
	c.Count(10, &s.Refs)
	c.Uint(11, &s.Changes)
	c.Time(12, &s.Created)
	c.Uint32(13, &s.HeaderSum)
	wire.List(c, 14, MaxSpans, &s.Spans, (*Span).fields)
	s.sealField(c)
	c.Uint(16, &s.Born)
	c.Uint32(17, &s.NextGen)
	c.Text(18, &s.Boot)
	wire.List(c, 19, MaxWriters, &s.Writers, (*Writer).fields)
	if !c.Writing() || s.Written > s.PayloadBytes {
		c.Count(20, &s.Written)
	}
	c.Uint32(21, &s.HeaderWas)
}

func (i *Identity) fields(c *wire.Coder) {
	c.FixedInt(1, &i.Size)
	c.FixedInt(2, &i.MTimeNs)
	c.Fixed(3, i.Inode != 0, &i.Inode)
	c.Fixed(4, i.Dev != 0, &i.Dev)
}
