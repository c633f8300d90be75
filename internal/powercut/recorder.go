package powercut

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tstore/tstore/internal/fsx"
)

const (
	sector = 512
	// page is the size of the database's pages in bytes.
	page = 4096
)

// Recorder makes a Log of what happens to a folder.
type Recorder struct {
	root     string
	database string
	inode    fs.FileInfo // of the database, nil when there is none
	live     map[string]*recorded
	opened   map[string]int // the file that last had a name, also after it was renamed or removed
	files    int
	log      Log
	err      error
}

// recorded is a file or folder as it was last seen.
type recorded struct {
	id   int
	dir  bool
	seen []byte
}

// Record begins a log with a folder, all of which is taken to be durable. database is the path in
// it of a file that commits as bbolt does; empty when there is none.
func Record(root, database string) (*Recorder, error) {
	r := &Recorder{root: root, database: database, live: map[string]*recorded{}, opened: map[string]int{}}

	r.log.start = newDisk()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel := r.rel(name)
		if err != nil || rel == "." {
			return err
		}
		f := r.add(rel, d.IsDir())
		if !d.IsDir() {
			f.seen, err = os.ReadFile(name)
		}
		r.log.start.put(rel, f.id, d.IsDir(), f.seen)
		return err
	})

	if database != "" && r.live[database] != nil && err == nil {
		r.inode, err = os.Stat(r.path(database))
	}
	return r, err
}

func (r *Recorder) path(rel string) string { return filepath.Join(r.root, filepath.FromSlash(rel)) }

// rel returns a path in the folder with slashes, or one that begins with "..".
func (r *Recorder) rel(name string) string {
	rel, err := filepath.Rel(r.root, name)
	if err != nil {
		return ".."
	}
	return filepath.ToSlash(rel)
}

func (r *Recorder) add(rel string, dir bool) *recorded {
	r.files++
	f := &recorded{id: r.files, dir: dir}
	r.live[rel], r.opened[rel] = f, f.id
	return f
}

// Before looks at the folder before each operation: pass it to [fsx.Faulty.FailIf]. It fails no
// operation.
func (r *Recorder) Before(op fsx.Op) error {
	// What was written before op comes first in the log.
	r.scan()

	rel, to := r.rel(op.Path), r.rel(op.To)
	f := r.live[rel]

	switch op.Kind {
	case fsx.OpCreate:
		if f == nil {
			r.note(Event{Kind: Create, Path: rel, file: r.add(rel, false).id})
		}
	case fsx.OpMkdir:
		if f == nil {
			r.note(Event{Kind: Mkdir, Path: rel, file: r.add(rel, true).id})
		}
	case fsx.OpRename:
		if f != nil {
			r.note(Event{Kind: Rename, Path: rel, To: to, file: f.id})
			delete(r.live, rel)
			r.live[to], r.opened[to] = f, f.id
		}
	case fsx.OpRemove:
		if f != nil {
			r.note(Event{Kind: Remove, Path: rel})
			delete(r.live, rel)
		}
	case fsx.OpSync:
		r.note(Event{Kind: Sync, Path: rel, file: r.opened[rel]})
	case fsx.OpSyncDir:
		r.note(Event{Kind: SyncDir, Path: rel})
	}
	return nil
}

// Mark notes that something was acknowledged: cuts from here on have n as their mark.
func (r *Recorder) Mark(n int) {
	r.scan()
	r.note(Event{Kind: Mark, Mark: n})
}

// Log returns what was recorded, or the first error of looking at the folder.
func (r *Recorder) Log() (*Log, error) {
	r.scan()
	return &r.log, r.err
}

func (r *Recorder) note(e Event) { r.log.events = append(r.log.events, e) }

// scan notes what was written since the last look. The database comes first: stores through a
// mapping that follow a commit are followed by no operation, while what has to precede a commit is
// synced before it.
func (r *Recorder) scan() {
	if err := r.scanForDatabase(); err != nil && r.err == nil {
		r.err = err
	}

	names := slices.Sorted(maps.Keys(r.live))
	if r.live[r.database] != nil {
		names = slices.Insert(names, 0, r.database)
	}

	for _, rel := range names {
		f := r.live[rel]
		if f.dir {
			continue
		}

		now, err := os.ReadFile(r.path(rel))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it could not be made
		}
		if err != nil && r.err == nil {
			r.err = err
		}
		if err != nil || bytes.Equal(now, f.seen) {
			continue
		}

		written := changes(f.seen, now)
		f.seen = now
		if rel == r.database {
			r.commit(f, written)
			continue
		}

		r.note(Event{Kind: Write, Path: rel, file: f.id, changes: written})
	}
}

// scanForDatabase notes whether another file is the database now.
func (r *Recorder) scanForDatabase() error {
	fi, err := os.Stat(r.path(r.database))
	if r.database == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || r.inode != nil && os.SameFile(fi, r.inode) {
		return err
	}
	b, err := os.ReadFile(r.path(r.database))
	if err != nil {
		return err
	}
	f := r.add(r.database, false)
	f.seen, r.inode = b, fi
	r.note(Event{Kind: Put, Path: r.database, file: f.id, changes: []change{{data: b}}})
	return nil
}

// commit notes what changed in the database as one commit.
func (r *Recorder) commit(f *recorded, written []change) {
	var pages, metas []change

	both := [2]bool{}
	// bbolt writes the pages, syncs, writes one of the two meta pages, and syncs again.
	for _, c := range written {
		if c.data == nil || c.off >= 2*page {
			pages = append(pages, c)
			continue
		}
		metas = append(metas, c)
		both[c.off/page] = true
	}

	if both[0] && both[1] && r.err == nil {
		r.err = fmt.Errorf("%s: more than one commit between two operations", r.database)
	}

	// The recorder sees a commit only after it is done, so that the four steps are noted in the
	// order in which bbolt takes them.
	r.note(Event{Kind: Write, Path: r.database, file: f.id, changes: pages, commit: true})
	r.note(Event{Kind: Sync, Path: r.database, file: f.id, commit: true})
	r.note(Event{Kind: Write, Path: r.database, file: f.id, changes: metas, commit: true})
	r.note(Event{Kind: Sync, Path: r.database, file: f.id, commit: true, last: true})
}

// change is a sector that was written, or, without data, a new size.
type change struct {
	off  int64
	data []byte
}

// changes returns the changes that turn old into now.
func changes(old, now []byte) []change {
	var list []change

	if len(old) != len(now) {
		list = append(list, change{off: int64(len(now))})
	}
	// A sector beyond the old end is a change only if it holds more than the zeros that growing
	// gives.
	for off := 0; off < len(now); off += sector {
		end := min(off+sector, len(now))
		if off >= len(old) {
			if bytes.Count(now[off:end], []byte{0}) < end-off {
				list = append(list, change{int64(off), now[off:end]})
			}
			continue
		}

		if !bytes.Equal(old[off:min(end, len(old))], now[off:end]) {
			list = append(list, change{int64(off), now[off:end]})
		}
	}
	return list
}
