package manifest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/tstore/tstore/internal/sentinel"
)

// ErrFormat says that the input is no manifest, or that a manifest was cut off or altered. A
// manifest of a newer format gives sentinel.ErrFuture.
var ErrFormat = errors.New("not a whole manifest of a backup")

// maxLine bounds a line: the sums of a file of 16 TiB, and some more.
const maxLine = 96 << 20

// end is the last line.
type end struct {
	Files int    `json:"files"`
	Sum   string `json:"xxh3"` // of all bytes before the line
}

// Encode writes a manifest.
func (m *Manifest) Encode(w io.Writer) error {
	sum := xxh3.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	enc := json.NewEncoder(b)

	enc.SetEscapeHTML(false)
	if err := enc.Encode(m.Head); err != nil {
		return err
	}

	for i := range m.Files {
		if err := enc.Encode(&m.Files[i]); err != nil {
			return err
		}
	}

	// The sum covers what was flushed. The last line holds the sum and is not part of it.
	if err := b.Flush(); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(end{Files: len(m.Files), Sum: fmt.Sprintf("%x", sum.Sum128().Bytes())})
}

// Decode reads a manifest from an untrusted source. It takes memory only as bytes arrive.
func Decode(r io.Reader) (*Manifest, error) {
	d := &decoder{r: bufio.NewReaderSize(r, 1<<16), sum: xxh3.New(), paths: map[string]bool{}}
	m := &Manifest{}

	line, err := d.line()
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(line, &m.Head); err != nil {
		return nil, fmt.Errorf("%w: its first line: %v", ErrFormat, err)
	}

	switch {
	case m.Format > Format:
		return nil, sentinel.Newer("the backup", m.Format, Format)
	case m.Format < 1:
		return nil, fmt.Errorf("%w: its first line names no format", ErrFormat)
	}

	// The last line has the sum of all before it, so that the sum is taken before each line is
	// read.
	for {
		before := d.sum.Sum128().Bytes()
		line, err := d.line()
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(line, []byte(`{"files":`)) {
			return m, d.finish(line, before, len(m.Files))
		}

		f, err := d.file(line)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, f)
	}
}

type decoder struct {
	r     *bufio.Reader
	sum   *xxh3.Hasher
	paths map[string]bool
}

// line reads a line, and adds it to the sum.
func (d *decoder) line() ([]byte, error) {
	var line []byte
	for {
		part, err := d.r.ReadSlice('\n')
		line = append(line, part...)

		// A line that is longer than the buffer comes in parts.
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("%w: a line is longer than %d bytes", ErrFormat, maxLine)
		case err == nil:
			_, _ = d.sum.Write(line) // never fails
			return line, nil
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("%w: it ends in the middle", ErrFormat)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

func (d *decoder) finish(line []byte, sum [16]byte, files int) error {
	var e end
	if err := json.Unmarshal(line, &e); err != nil {
		return fmt.Errorf("%w: its last line: %v", ErrFormat, err)
	}
	if found := fmt.Sprintf("%x", sum); e.Sum != found || e.Files != files {
		return fmt.Errorf("%w: it says %d files and checksum %.32q, found %d and %q", ErrFormat, e.Files, e.Sum, files, found)
	}
	return nil
}

func (d *decoder) file(line []byte) (f File, err error) {
	if err := json.Unmarshal(line, &f); err != nil {
		return f, fmt.Errorf("%w: line %.80q: %v", ErrFormat, line, err)
	}
	if what := f.fault(); what != "" {
		return f, fmt.Errorf("%w: file %.200q: %s", ErrFormat, f.Path, what)
	}
	if d.paths[f.Path] {
		return f, fmt.Errorf("%w: file %.200q is there twice", ErrFormat, f.Path)
	}
	d.paths[f.Path] = true
	return f, nil
}

// maxPath bounds a path.
const maxPath = 4096

// maxHeader bounds a header.
const maxHeader = 1 << 20

// fault says what is wrong with f; it is empty if nothing is.
func (f *File) fault() string {
	switch {
	case len(f.Path) > maxPath || !fs.ValidPath(f.Path) || f.Path == "." || strings.ContainsAny(f.Path, "\\:\x00\n"):
		return "expected a clean path inside the store"
	case f.Key == "":
		return "it has no key"
	case f.Header > maxHeader:
		return fmt.Sprintf("a header of %d bytes, at most %d are allowed", f.Header, maxHeader)
	case f.Header < 0 || f.Size < 0 || f.From < 0 || f.From > f.Size || f.Size > math.MaxInt64-f.Header-ChunkBytes:
		return fmt.Sprintf("%d bytes of header and %d of payload, from %d on", f.Header, f.Size, f.From)
	case len(f.Sums) > 0 && len(f.Sums) != Chunks(f.Size-f.From):
		return fmt.Sprintf("%d checksums of %d pieces", len(f.Sums), Chunks(f.Size-f.From))
	}
	return ""
}
