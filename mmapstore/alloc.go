package mmapstore

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// Allocator hands out blocks of memory at one place. Alloc must be safe for several goroutines.
type Allocator interface {
	// Alloc returns exactly size zeroed bytes, size >= 0, at an address divisible by 64.
	Alloc(size int64) (Block, error)
	Place() Place
}

// Device is memory that Go code can't address. It moves bytes in and out of host memory; its
// methods must be safe for several goroutines.
type Device interface {
	io.ReaderAt
	io.WriterAt
}

// Block is a run of memory that knows where it lives and how to free itself. Copies of a Block are
// the same block. Every block counts in Stats until it is freed.
type Block struct{ *block }

type block struct {
	mem    *memory
	kind   Kind
	place  Place
	device Device
	mapped bool      // the memory came from a mapping
	file   *dataFile // what is mapped, if not anonymous memory
	free   func() error
	freed  atomic.Bool
}

// NewBlock makes a block of host memory; free is called once, by Free. It is for authors of
// allocators.
func NewBlock(host []byte, kind Kind, free func() error) Block {
	both := &struct {
		block  block
		memory memory
	}{memory: *hostMemory(host)}
	both.block = block{mem: &both.memory, kind: kind, place: CPU, free: free}
	return newBlock(&both.block)
}

// NewDeviceBlock makes a block of size bytes at a place that is not the CPU. It is for authors of
// allocators; storages over the block offer dev as their Device.
func NewDeviceBlock(place Place, size int64, dev Device, free func() error) Block {
	return newBlock(&block{mem: &memory{size: size}, kind: KindDevice, place: place, device: dev, free: free})
}

func newBlock(b *block) Block {
	account(b.place, b.kind, b.mem.size)
	return Block{b}
}

// Bytes returns the memory; nil for a device. It must not be used after Free.
func (b Block) Bytes() []byte { return b.mem.bytes }

// Size returns the number of bytes.
func (b Block) Size() int64 { return b.mem.size }

// Place says where the bytes live.
func (b Block) Place() Place { return b.place }

// Kind says what the memory is.
func (b Block) Kind() Kind { return b.kind }

// Device returns the memory of a block that is not on the CPU, otherwise nil.
func (b Block) Device() Device { return b.device }

// Free gives the memory back. A second call returns ErrClosed.
func (b Block) Free() error {
	if b.freed.Swap(true) {
		return ErrClosed
	}
	unaccount(b.place, b.kind, b.mem.size)
	return b.free()
}

// name describes the block in messages.
func (b Block) name() string {
	if b.file != nil {
		return fmt.Sprintf("temporary file %q", b.file.Name())
	}
	if b.place == CPU && int(b.kind) < len(hostNames) {
		return hostNames[b.kind]
	}
	return b.kind.String() + " memory on " + b.place.String()
}

// hostNames are the names of blocks on the CPU.
var hostNames = func() (names [len(kindNames)]string) {
	for kind, name := range kindNames {
		names[kind] = name + " memory on " + CPU.String()
	}
	return names
}()

// allocate is Alloc with its result checked.
func allocate(a Allocator, size int64) (Block, error) {
	if size < 0 {
		return Block{}, fmt.Errorf("allocate %d bytes: the size is negative", size)
	}
	blk, err := a.Alloc(size)
	if err != nil {
		return Block{}, fmt.Errorf("allocate %d bytes on %s: %w", size, a.Place(), err)
	}
	if blk.Size() != size {
		err := fmt.Errorf("allocate %d bytes on %s: the allocator returned %d", size, a.Place(), blk.Size())
		return Block{}, errors.Join(err, blk.Free())
	}
	return blk, nil
}
