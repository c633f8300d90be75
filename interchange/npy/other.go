package npy

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore/interchange/recognise"
	"github.com/tstore/tstore/internal/npyheader"
)

// recorder keeps the first bytes that are read from r, by which a file that is no .npy file is
// recognised.
type recorder struct {
	r    io.Reader
	head []byte
}

// Read implements io.Reader.
func (c *recorder) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.head = append(c.head, p[:min(n, recognise.HeadBytes-len(c.head))]...)
	return n, err
}

// explain says more of what is no .npy file: its format, and how an .npy file is made of it.
func (c *recorder) explain(err error) error {
	if !errors.Is(err, npyheader.ErrNotNPY) || len(c.head) == 0 {
		return err
	}
	// One read more: a stream may be slow, or end here.
	_, _ = c.Read(make([]byte, recognise.HeadBytes))
	if f := recognise.Head(c.head); !f.IsZero() {
		return otherFormat(f, c.name())
	}
	return fmt.Errorf("%w, and its first bytes %.16q are those of no known format: import, adopt and append read bare elements with --raw, or from a name that ends in .raw, .bin or .dat (package raw)", npyheader.ErrNotNPY, c.head)
}

// name returns the name of the file, "" for a stream.
func (c *recorder) name() string {
	from := any(c.r)
	if part, ok := from.(*io.SectionReader); ok {
		from, _, _ = part.Outer()
	}
	if f, ok := from.(*os.File); ok {
		return f.Name()
	}
	return ""
}

// folderError returns the error for a folder in place of a file.
func folderError(path string) error {
	if f := recognise.Folder(path); !f.IsZero() {
		return otherFormat(f, path)
	}
	return errors.New("it is a folder")
}

func otherFormat(f recognise.Format, path string) error {
	return fmt.Errorf("%w: it looks like %s, which tstore does not read: make an .npy file of it: %s", npyheader.ErrNotNPY, f.Name, f.Advice(path))
}
