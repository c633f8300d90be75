package view

import (
	"sync/atomic"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// An owner holds one reference to a storage for a tensor and all that is derived from it. Closing
// it ends them all.
type owner struct {
	st     *mmapstore.Storage
	closed atomic.Bool
}

// newOwned returns a tensor that owns a reference to st.
func newOwned(st *mmapstore.Storage, t dtype.Type, l Layout) (*Tensor, error) {
	held, err := st.Retain()
	if err != nil {
		return nil, err
	}
	both := &struct {
		tensor Tensor
		owner  owner
	}{owner: owner{st: held}}
	both.tensor = Tensor{own: &both.owner, owns: true, dt: t, layout: l}
	return &both.tensor, nil
}

// close gives the reference back, once.
func (o *owner) close() error {
	if o.closed.Swap(true) {
		return nil
	}
	return o.st.Release()
}

// storage returns the storage, unless the owner is closed.
func (o *owner) storage() (*mmapstore.Storage, error) {
	if o.closed.Load() {
		return nil, mmapstore.ErrClosed
	}
	return o.st, nil
}

// with is Storage.With for as long as the owner is open.
func (o *owner) with(fn func(b []byte) error) error {
	if o.closed.Load() {
		return mmapstore.ErrClosed
	}
	return o.st.With(fn)
}
