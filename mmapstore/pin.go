package mmapstore

import "fmt"

// Pin keeps the bytes of a storage in place: as long as it is held, the memory is neither freed nor
// moved. Pins are cheap and held for the length of an operation, not of an object. A Pin is not
// tied to a goroutine.
type Pin struct {
	storage *Storage
	bytes   []byte
}

// Pin takes a pin, which is given back with exactly one Unpin. It returns ErrClosed after the last
// Release, and ErrPlace if the storage is on a device.
//
// The bytes of a mapped storage may be touched under Guard only. With does all of this in one.
func (s *Storage) Pin() (Pin, error) {
	if err := s.pinHost(); err != nil {
		return Pin{}, err
	}
	return Pin{s, s.mem.Load().bytes}, nil
}

// pinHost takes a pin on memory that Go code can address.
func (s *Storage) pinHost() error {
	if s.src.place != CPU {
		return fmt.Errorf("%w: it is on %s; copy it to host memory, tensors with view.Copy", ErrPlace, s.src.place)
	}
	return s.life.pin()
}

// PinDevice is Pin for a storage on a device: it returns the memory of the block, and where in it
// the storage begins. The Pin has no bytes. PinDevice returns ErrPlace if the storage is in host
// memory.
func (s *Storage) PinDevice() (p Pin, dev Device, start int64, err error) {
	if s.src.place == CPU {
		return Pin{}, nil, 0, fmt.Errorf("%w: %s is in host memory, not on a device", ErrPlace, s.src.name)
	}
	if err := s.life.pin(); err != nil {
		return Pin{}, nil, 0, err
	}
	return Pin{s, nil}, s.Device(), s.start, nil
}

// Bytes returns the pinned bytes; they must not be used after Unpin.
func (p Pin) Bytes() []byte { return p.bytes }

// Unpin gives the pin back. On the zero Pin it does nothing.
func (p Pin) Unpin() {
	if p.storage != nil {
		p.storage.life.unpin()
	}
}

// Again takes another pin of p's storage, even after p was given back. The bytes may have moved.
func (p Pin) Again() (Pin, error) { return p.storage.Pin() }

// With calls fn with the bytes of the storage, pinned and guarded: it is the preferred way to touch
// them. b must not be used after fn returns. A fault on b ends fn and is returned as *FaultError;
// the package documentation says what fn must not do. With itself does not allocate.
func (s *Storage) With(fn func(b []byte) error) error {
	if err := s.pinHost(); err != nil {
		return err
	}
	defer s.life.unpin()
	b := s.mem.Load().bytes
	return s.Guard(func() error { return fn(b) })
}
