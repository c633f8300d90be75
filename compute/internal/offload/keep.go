package offload

import (
	"errors"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// Of the memory of a device, what is kept there between passes leaves a part to each pass: a
// quarter, but spareBytes at least, or a half where that is less.
const (
	spareShare = 4
	spareBytes = 32 << 20
)

// Keep makes room on the device for bytes that stay there between passes. It returns nil if there is
// not enough.
func (e *Engine) Keep(bytes int64) (*mmapstore.Storage, error) {
	if !e.hasRoom(bytes) {
		if err := e.drop(); err != nil {
			return nil, err
		}
		if !e.hasRoom(bytes) {
			return nil, nil
		}
	}
	st, err := mmapstore.WithAllocator(e.device, bytes)
	if _, full := errors.AsType[*device.MemoryError](err); full {
		return nil, nil
	}
	return st, err
}

// hasRoom reports whether there is room for bytes that are kept.
func (e *Engine) hasRoom(bytes int64) bool {
	i := e.device.Info()
	spare := max(i.LimitBytes/spareShare, min(spareBytes, i.LimitBytes/2))
	return bytes <= i.LimitBytes-i.UsedBytes-spare
}

// Keeps reports whether anything may be kept on the device only: not if the CPU may have to go on
// with it, or is to compare what the device computes.
func (e *Engine) Keeps() bool { return e.Auto == nil && e.CheckShare <= 0 }
