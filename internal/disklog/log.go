package disklog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Kind is what an event is.
type Kind uint8

// The kinds of events.
const (
	Write Kind = 1 + iota // Data was written at Off
	Flush                 // all that was written before is durable
	Mark                  // Off is a number that says what was promised
)

// Event is one step of a log.
type Event struct {
	Kind Kind
	// Off is where in the disk a Write begins, in bytes, or the number of a Mark.
	Off  int64
	Data []byte
}

const (
	headerBytes = 16
	// maxWrite is more than one request of a disk.
	maxWrite = 64 << 20
)

// Append writes an event to a log.
func Append(w io.Writer, e Event) error {
	var h [headerBytes]byte
	h[0] = byte(e.Kind)
	binary.LittleEndian.PutUint32(h[4:], uint32(len(e.Data)))
	binary.LittleEndian.PutUint64(h[8:], uint64(e.Off))
	if _, err := w.Write(h[:]); err != nil {
		return err
	}
	_, err := w.Write(e.Data)
	return err
}

// Read reads a log to its end.
func Read(r io.Reader) ([]Event, error) {
	var events []Event
	for {
		// Between two events the end of the file is the end of the log; within an event it is an
		// error.
		var h [headerBytes]byte
		switch _, err := io.ReadFull(r, h[:]); {
		case errors.Is(err, io.EOF):
			return events, nil
		case err != nil:
			return nil, fmt.Errorf("log of a disk, event %d: %w", len(events), err)
		}

		e := Event{Kind: Kind(h[0]), Off: int64(binary.LittleEndian.Uint64(h[8:]))}
		n := binary.LittleEndian.Uint32(h[4:])
		if e.Kind < Write || e.Kind > Mark || e.Off < 0 || n > maxWrite {
			return nil, fmt.Errorf("log of a disk, event %d: kind %d, offset %d, %d bytes: not an event", len(events), h[0], e.Off, n)
		}

		if n > 0 {
			e.Data = make([]byte, n)
			if _, err := io.ReadFull(r, e.Data); err != nil {
				return nil, fmt.Errorf("log of a disk, event %d: %w", len(events), err)
			}
		}

		events = append(events, e)
	}
}
