package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/catalog"
)

// Each worker writes what it begins and what became of it to a file of its own. Right before each
// commit, while nobody else can commit, it adds a line to a file of all workers, whose order is
// that of the commits.

// entry is a line of a worker's file: the beginning of a step, or its end.
type entry struct {
	Op    int
	Step  *step  `json:",omitempty"` // of a beginning
	Error string `json:",omitempty"` // of an end
	Kind  string `json:",omitempty"` // of the error: see kindOfError
	// At is the size of the file of all workers.
	At int64
	// Got is what was read: sums, by names and names in snapshots.
	Got map[string]sight `json:",omitempty"`
}

// sight is what a name was seen to stand for.
type sight struct {
	Sum     uint64
	Missing bool   `json:",omitempty"`
	Version uint64 `json:",omitempty"`
	Storage string `json:",omitempty"`
	Created int64  `json:",omitempty"`
}

// commit is a line of the file of all workers.
type commit struct {
	Worker, Op int
	Number     uint64
	Files      map[string]fileState // of tensors
	Snaps      []string
	at         int64 // where the line begins
}

// fileState is what the catalog says of the file of a tensor.
type fileState struct {
	ID     string
	Sealed bool          `json:",omitempty"`
	State  catalog.State `json:",omitempty"`
	// Sum is that of what the tensor shows, 0 if it can't be told.
	Sum   uint64 `json:",omitempty"`
	Shows string `json:",omitempty"` // the first elements, for a person
}

func commitsFile(dir string) string { return filepath.Join(dir, "commits") }

func workerFile(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("worker%d", n)) }

// writeLine adds a line to a file in one system call.
func writeLine(f *os.File, line any) error {
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return err
}

// readLines reads a file of lines. A last line that a kill has cut short is left out.
func readLines[T any](path string, each func(at int64, line T)) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for at := int64(0); ; {
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			return nil
		}
		var line T
		if err := json.Unmarshal(b[:end], &line); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		each(at, line)
		at += int64(end) + 1
		b = b[end+1:]
	}
}

// describe is the line of a commit that is about to be made.
// The elements are read past the store: their files are in their places before the commit.
func describe(tx *catalog.Tx, dir string, worker, op int, number uint64) (commit, error) {
	c := commit{Worker: worker, Op: op, Number: number, Files: map[string]fileState{}}
	for rec, err := range tx.Records() {
		if err != nil {
			return c, err
		}
		if rec.Kind != catalog.KindTensor {
			continue
		}
		st, err := tx.Storage(rec.Storage)
		if err != nil {
			return c, err
		}
		f := fileState{ID: rec.Storage.String(), Sealed: st.Seal != nil, State: st.State}
		if st.State == catalog.Clean {
			v := stored(filepath.Join(dir, filepath.FromSlash(st.File())), rec, st)
			f.Sum, f.Shows = v.sum(), v.String()
		}
		c.Files[rec.Name] = f
	}
	snaps, err := tx.Snapshots()
	for _, snap := range snaps {
		if snap.Name[0] != '.' {
			c.Snaps = append(c.Snaps, snap.Name)
		}
	}
	return c, err
}

// stored is what a tensor shows, read from the file of its storage. What can't be read is an empty
// array.
func stored(path string, rec catalog.Record, st catalog.Storage) value {
	v := value{dtype: rec.DType.String()}
	b, err := os.ReadFile(path)
	if err != nil || int64(len(b)) < st.HeaderBytes {
		return v
	}
	at := []int64{rec.Offset}
	for axis, n := range rec.Shape {
		v.shape = append(v.shape, int(n))
		var next []int64
		for _, from := range at {
			for i := range n {
				next = append(next, from+i*rec.Strides[axis])
			}
		}
		at = next
	}
	size := int64(rec.DType.Size())
	for _, i := range at {
		from := st.HeaderBytes + i*size
		if from < 0 || from+size > int64(len(b)) {
			return value{}
		}
		v.elems = append(v.elems, element(v.dtype, b[from:]))
	}
	return v
}
