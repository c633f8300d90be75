package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/tstore/tstore/internal/disklog"
)

// diskRoot is a folder with one file.
type diskRoot struct {
	fs.Inode
	disk *disk
}

// OnAdd makes the file.
func (r *diskRoot) OnAdd(ctx context.Context) {
	r.AddChild("disk", r.NewPersistentInode(ctx, r.disk, fs.StableAttr{Mode: syscall.S_IFREG, Ino: 2}), true)
}

// extent is a part of the disk.
type extent struct{ from, to int64 }

func (e extent) touches(off int64, n int) bool { return off < e.to && off+int64(n) > e.from }

// disk is a file with an inode that the kernel knows.
type disk struct {
	fs.Inode
	image *os.File
	size  int64
	file  *os.File
	mu    struct {
		sync.Mutex
		log           *bufio.Writer
		reads, writes extent // that fail
		flushes       int64  // that succeed before the others fail, if failing
		failing       bool
		delay         time.Duration
	}
}

var _ interface {
	fs.NodeGetattrer
	fs.NodeSetattrer
	fs.NodeOpener
	fs.NodeReader
	fs.NodeWriter
	fs.NodeFsyncer
	fs.NodeAllocater
} = (*disk)(nil)

func openDisk(image, log string) (*disk, error) {
	f, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	d := &disk{image: f, size: fi.Size(), file: file}
	d.mu.log = bufio.NewWriterSize(file, 1<<20)
	return d, nil
}

func (d *disk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(d.mu.log.Flush(), d.file.Close(), d.image.Close())
}

// obey does what a line of the standard input says.
func (d *disk) obey(line string) error {
	d.mu.Lock()
	defer d.mu.Unlock()

	word, rest, _ := strings.Cut(line, " ")
	var n [2]int64
	for i, field := range strings.Fields(rest) {
		var err error
		if n[min(i, 1)], err = strconv.ParseInt(field, 10, 64); err != nil {
			return err
		}
	}

	switch word {
	case "mark":
		return d.noteLocked(disklog.Event{Kind: disklog.Mark, Off: n[0]})
	case "fail-reads":
		d.mu.reads = extent{n[0], n[1]}
	case "fail-writes":
		d.mu.writes = extent{n[0], n[1]}
	case "fail-flushes":
		d.mu.flushes, d.mu.failing = n[0], true
	case "slow-reads":
		d.mu.delay = time.Duration(n[0]) * time.Millisecond
	case "heal":
		d.mu.reads, d.mu.writes, d.mu.failing, d.mu.delay = extent{}, extent{}, false, 0
	default:
		return fmt.Errorf("not a command")
	}

	return nil
}

func (d *disk) noteLocked(e disklog.Event) error { return disklog.Append(d.mu.log, e) }

// Getattr tells the size.
func (d *disk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = syscall.S_IFREG|0o644, uint64(d.size)
	return 0
}

// Setattr changes nothing.
func (d *disk) Setattr(ctx context.Context, f fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return d.Getattr(ctx, f, out)
}

// Open keeps the kernel from caching.
func (d *disk) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

// Read reads what was written last, durable or not.
func (d *disk) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	d.mu.Lock()
	delay, fails := d.mu.delay, d.mu.reads.touches(off, len(dest))
	d.mu.Unlock()
	time.Sleep(delay)
	if fails {
		return nil, syscall.EIO
	}
	n, err := d.image.ReadAt(dest, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fs.ToErrno(err)
	}
	return fuse.ReadResultData(dest[:n]), 0
}

// Write writes to the image and the log.
func (d *disk) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mu.writes.touches(off, len(data)) {
		return 0, syscall.EIO
	}
	if off+int64(len(data)) > d.size {
		return 0, syscall.ENOSPC
	}
	if _, err := d.image.WriteAt(data, off); err != nil {
		return 0, fs.ToErrno(err)
	}
	if err := d.noteLocked(disklog.Event{Kind: disklog.Write, Off: off, Data: data}); err != nil {
		return 0, fs.ToErrno(err)
	}
	return uint32(len(data)), 0
}

// Fsync is what a flush of the loop device becomes.
func (d *disk) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mu.flushes--; d.mu.failing && d.mu.flushes < 0 {
		return syscall.EIO
	}
	return fs.ToErrno(d.noteLocked(disklog.Event{Kind: disklog.Flush}))
}

// Allocate refuses what the loop device would make discards of.
func (d *disk) Allocate(context.Context, fs.FileHandle, uint64, uint64, uint32) syscall.Errno {
	return syscall.EOPNOTSUPP
}
