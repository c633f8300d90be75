package device

import (
	"context"

	"github.com/tstore/tstore/mmapstore"
)

// Info describes a device.
type Info struct {
	// Place is where its memory is: gpu:0, gpu:1, ….
	Place mmapstore.Place
	// Name is the vendor's, such as "NVIDIA H200".
	Name string
	// Driver is the version of what runs it, such as "CUDA 12.9".
	Driver string
	// Major and Minor are its compute capability.
	Major, Minor int
	// TotalBytes is the size of its memory.
	TotalBytes int64
	// LimitBytes is how much of it this program may take.
	LimitBytes int64
	// UsedBytes is how much of that was taken when Info was asked.
	UsedBytes int64
}

// A Device is a processor with memory of its own. It is safe for concurrent use.
//
// As an allocator it makes blocks for tensors, whose Device is a [Memory]: mmapstore.WithAllocator
// makes a storage there, view.NewTensor a tensor, and view.Copy fills it. All that is allocated on
// a device counts together, and what would be more than LimitBytes is a [*MemoryError].
//
// Errors name the place. Once a device has failed, or has not answered, each call returns an error
// that wraps [ErrLost]. Calls of a device, a module or a queue that was closed return one that wraps
// [mmapstore.ErrClosed].
type Device interface {
	mmapstore.Allocator

	// Info describes the device.
	Info() Info

	// Compile makes a module of the text of PTX. Its error has what the compiler says.
	Compile(text string) (Module, error)

	// NewQueue makes a queue.
	NewQueue() (Queue, error)

	// Close gives the device back. Its queues and modules must be closed, and its blocks freed.
	Close() error
}

// Memory is the memory of a block on a device.
type Memory interface {
	mmapstore.Device

	// Address returns where it begins on the device: a multiple of 256.
	Address() uint64
}

// A Module is compiled code. It is safe for concurrent use.
type Module interface {
	// Close unloads the code. No launch of it may be under way.
	Close() error
}

// A Launch says what runs over which threads.
type Launch struct {
	Entry  string   // of the module
	Grid   [3]int   // blocks along x, y and z; at least 1
	Block  [3]int   // threads of a block along each; at least 1
	Params []uint64 // of the entry, each of which has 8 bytes
}

// A Use says how the program uses staging memory.
type Use uint8

// The uses.
const (
	// Written staging memory is filled by the program and uploaded. Reading it may be slow.
	Written Use = iota
	// Read staging memory is downloaded to, and read by the program.
	Read
)

// A Queue does what it is given in order, while the program goes on. It belongs to one goroutine at
// a time.
//
// Upload, Launch and Download return at once. What goes wrong later is returned by one of the calls
// that follow, at the latest by Wait. After an error but a [*MemoryError], a queue can only be
// closed.
type Queue interface {
	// Stage returns n bytes of host memory that the device copies from and to, at a multiple
	// of 64. It is not Go's memory: it is there until Close.
	Stage(n int, use Use) ([]byte, error)

	// Memory returns the address of n bytes on the device, which nobody has written, at a multiple
	// of 256. They are there until Close. What is more than the limit of the device, or than it has
	// free, is a *MemoryError.
	Memory(n int64) (address uint64, err error)

	// Upload copies a part of staging memory, which must not be changed before Wait returns.
	Upload(to uint64, from []byte) error

	// Launch runs an entry of a module of the same device. It keeps nothing of l.
	Launch(m Module, l *Launch) error

	// Download copies to a part of staging memory, where the bytes are when Wait returns.
	Download(to []byte, from uint64) error

	// Wait returns when all is done that the queue was given. If ctx ends first, it returns the
	// error of ctx soon after, and the queue can only be closed.
	Wait(ctx context.Context) error

	// Close gives all memory of the queue back, when the device is done with it. A device that does
	// not answer keeps it, and is lost.
	Close() error
}
