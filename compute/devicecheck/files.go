package devicecheck

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A file is a tensor of float32 in a mapped file that has no name any more.
type file struct{ tensor *view.Tensor }

// files are some by their names in expressions.
type files map[string]*file

// files makes files of n bytes each, or of a quarter again and again where the disk is too full.
func (c *check) files(n int, names ...string) (files, error) {
	for ; ; n /= 4 {
		all, err := c.filesOf(n, names)
		if err == nil || n < 1<<22 {
			return all, err
		}
	}
}

func (c *check) filesOf(n int, names []string) (files, error) {
	all := files{}
	for _, name := range names {
		f, err := c.file(n)
		if err != nil {
			return nil, errors.Join(err, all.close())
		}
		all[name] = f
	}
	return all, nil
}

// file makes a file, which goes with the process whatever becomes of it.
func (c *check) file(n int) (*file, error) {
	folder, err := os.MkdirTemp(c.Dir, "gpu-check")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "tensor")
	st, err := mmapstore.Map(path, 0, int64(n), mmapstore.Create, nil)
	if gone := os.RemoveAll(folder); err == nil {
		err = gone
	}
	if err != nil {
		return nil, err
	}
	t, err := tensorOf(st, dtype.Float32, n/4)
	return &file{t}, err
}

func (f *file) bytes() float64 { return float64(f.tensor.NumBytes()) }

// square makes square matrices of files, and returns their edge.
func (f files) square() (edge int, err error) {
	for edge = 1; 4*edge*edge < int(f["a"].bytes()); {
		edge *= 2
	}
	for _, of := range f {
		st, err := of.tensor.Storage().Retain()
		if err != nil {
			return 0, err
		}
		square, err := tensorOf(st, dtype.Float32, edge, edge)
		if err := errors.Join(err, of.tensor.Close()); err != nil {
			return 0, err
		}
		of.tensor = square
	}
	return edge, nil
}

func (f files) close() (err error) {
	for _, of := range f {
		err = errors.Join(err, of.tensor.Close())
	}
	return err
}

// fileBytes returns want, or less, so that some files of it fit in half of the memory that is free.
func (c *check) fileBytes(want, files int) int {
	free := status("/proc/meminfo", "MemAvailable")
	if free == 0 {
		free = 4 << 30
	}
	for int64(want*files) > free/2 {
		want /= 4
	}
	return want
}

// status returns a number of bytes of a file like /proc/self/status, 0 if it is not there.
func status(path, key string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), key+":"); ok {
			var kib int64
			if _, err := fmt.Sscan(value, &kib); err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
