package recognise

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// HeadBytes is how many of the first bytes of a file tell the most.
const HeadBytes = 512

// A Format is a format of files that hold arrays, or may.
type Format struct {
	// Name is the format's, with an article: "an HDF5 file".
	Name string
	// python makes a numpy array: an expression, after a package to import. FILE stands for the
	// path.
	imports, python string
	// shell is a command instead, for what is no array.
	shell  string
	isText bool
}

// IsZero reports whether the format is not known.
func (f Format) IsZero() bool { return f.Name == "" }

// IsText reports whether the format is known by nothing but that the file is text, as bare elements
// of one byte may be.
func (f Format) IsText() bool { return f.isText }

// Advice returns a line for the shell that makes an .npy file of the file at path, or takes it out
// of its wrapping. A path that would need quotes, and "" for a stream, are spelled FILE.
func (f Format) Advice(path string) string {
	if !plainPath.MatchString(path) {
		path = "FILE"
	}
	line := f.shell
	if line == "" {
		line = fmt.Sprintf(`python3 -c "import numpy, %s; numpy.save('x.npy', %s)"`, f.imports, f.python)
		line = strings.Replace(line, "numpy, ;", "numpy;", 1)
	}
	return strings.ReplaceAll(line, "FILE", path)
}

var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./-]*$`)

// Head recognises a file by its first bytes: HeadBytes of them, or all where there are fewer. It is
// zero for what has no mark of its own.
func Head(b []byte) Format {
	b = b[:min(len(b), HeadBytes)]
	for _, s := range signatures {
		if s.matches(b) && (s.isText || !isText(b)) {
			return s.format
		}
	}
	for _, look := range []func([]byte) Format{zipFile, safetensors, text} {
		if f := look(b); !f.IsZero() {
			return f
		}
	}
	return Format{}
}

// Folder recognises a folder that is one array, or a group of them.
func Folder(path string) Format {
	for _, f := range folders {
		b, err := os.ReadFile(filepath.Join(path, f.file))
		if err == nil && bytes.Contains(b, []byte(f.has)) {
			return f.format
		}
	}
	return Format{}
}
