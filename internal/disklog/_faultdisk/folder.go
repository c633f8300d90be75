package main

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// poorNode is a file or folder of a folder elsewhere.
type poorNode struct {
	*fs.LoopbackNode
	flags uint32 // of open files
}

// poorFile is an open file of it.
type poorFile struct{ *fs.LoopbackFile }

// poorFolder shows a folder as a file system that can do little.
func poorFolder(dir string, unmapped bool) (fs.InodeEmbedder, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(dir, &st); err != nil {
		return nil, err
	}
	root := &fs.LoopbackRoot{Path: dir, Dev: uint64(st.Dev)}
	node := &poorNode{LoopbackNode: &fs.LoopbackNode{RootData: root}}
	if unmapped {
		node.flags = fuse.FOPEN_DIRECT_IO // without its cache the kernel can't map
	}
	root.RootNode = node
	return node, nil
}

// WrapChild makes what is in the folder poor, too.
func (n *poorNode) WrapChild(_ context.Context, ops fs.InodeEmbedder) fs.InodeEmbedder {
	if node, ok := ops.(*fs.LoopbackNode); ok {
		return &poorNode{node, n.flags}
	}
	return ops
}

// Open makes the open file poor, too.
func (n *poorNode) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, _, errno := n.LoopbackNode.Open(ctx, flags)
	return poor(f), n.flags, errno
}

// Create is Open of a new file.
func (n *poorNode) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	inode, f, _, errno := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	return inode, poor(f), n.flags, errno
}

func poor(f fs.FileHandle) fs.FileHandle {
	if f, ok := f.(*fs.LoopbackFile); ok {
		return &poorFile{f}
	}
	return f
}

// Allocate is not there.
func (f *poorFile) Allocate(context.Context, uint64, uint64, uint32) syscall.Errno {
	return syscall.EOPNOTSUPP
}

// PassthroughFd keeps the kernel from going past this program.
func (f *poorFile) PassthroughFd() (int, bool) { return -1, false }
