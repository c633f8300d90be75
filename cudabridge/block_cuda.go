//go:build cuda && linux

package cudabridge

import (
	"fmt"
	"io"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// Alloc implements mmapstore.Allocator.
func (g *gpu) Alloc(size int64) (mmapstore.Block, error) {
	p, err := g.take(size)
	if err != nil {
		return mmapstore.Block{}, err
	}
	if err := g.copier.zero(p); err != nil {
		_ = g.give(p) // which may fail of the same
		return mmapstore.Block{}, err
	}

	g.count(0, 1)
	free := func() error {
		g.count(0, -1)
		return g.give(p)
	}
	return mmapstore.NewDeviceBlock(g.Place(), size, &block{g, p}, free), nil
}

// block is the memory of an mmapstore.Block.
type block struct {
	gpu *gpu
	piece
}

var _ device.Memory = (*block)(nil)

// Address implements device.Memory.
func (b *block) Address() uint64 { return uint64(b.at) }

// ReadAt implements io.ReaderAt.
func (b *block) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, b.outside("read", p, off)
	}
	n := int(min(int64(len(p)), max(b.bytes-off, 0)))
	done, err := b.gpu.copier.read(p[:n], b.at+cu.DevicePtr(off))
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return done, err
}

// WriteAt implements io.WriterAt.
func (b *block) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > b.bytes || int64(len(p)) > b.bytes-off {
		return 0, b.outside("write", p, off)
	}
	return b.gpu.copier.write(b.at+cu.DevicePtr(off), p)
}

func (b *block) outside(doing string, p []byte, off int64) error {
	return b.gpu.wrap(doing, fmt.Errorf("%d bytes at byte %d of %d", len(p), off, b.bytes))
}
