package devicetest

import (
	"context"
	"errors"
	"slices"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/internal/ptxvm"
)

// Upload implements device.Queue.
func (q *queue) Upload(to uint64, from []byte) error {
	return q.copy(Upload, device.Written, from, func() error {
		q.device.up.Add(int64(len(from)))
		return q.device.vm.Write(to, from)
	})
}

// Download implements device.Queue.
func (q *queue) Download(to []byte, from uint64) error {
	return q.copy(Download, device.Read, to, func() error {
		q.device.down.Add(int64(len(to)))
		return q.device.vm.Read(from, to)
	})
}

// copy queues a copy from or to staging memory that is for it.
func (q *queue) copy(c Call, use device.Use, host []byte, run func() error) error {
	fault, err := q.enter(c)
	if err != nil {
		return err
	}
	defer q.leave()
	if len(host) == 0 {
		return nil
	}
	if err := q.isStaged(host, use); err != nil {
		return q.fail(q.device.mistake(string(c), err))
	}
	q.stream.add(operation{call: c, fault: fault, run: func(context.Context) error { return run() }})
	return nil
}

// Launch implements device.Queue.
func (q *queue) Launch(m device.Module, l *device.Launch) error {
	fault, err := q.enter(Launch)
	if err != nil {
		return err
	}
	defer q.leave()

	code, ok := m.(*module)
	if !ok || code.device != q.device {
		return q.fail(q.device.mistake(string(Launch), errors.New("the module is not one of this device")))
	}
	if err := code.begin(); err != nil {
		return q.fail(q.device.mistake(string(Launch), err))
	}
	entry, launch := l.Entry, &ptxvm.Launch{Grid: l.Grid, Block: l.Block, Params: slices.Clone(l.Params)}
	run := func(ctx context.Context) error {
		q.device.launches.Add(1)
		return code.code.Launch(ctx, entry, launch)
	}
	q.stream.add(operation{call: Launch, fault: fault, run: run, done: code.end})
	return nil
}
