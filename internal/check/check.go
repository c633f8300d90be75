package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"reflect"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/npyheader"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// ProblemKind names a kind of damage, stably enough for scripts.
type ProblemKind string

// What Check finds.
const (
	ProblemCatalog     ProblemKind = "catalog"      // the catalog's pages or records do not read back
	ProblemRefs        ProblemKind = "refs"         // a reference count or the reverse index is off
	ProblemMissing     ProblemKind = "missing-file" // a storage's file is not there
	ProblemUnreadable  ProblemKind = "unreadable"   // a storage's file is there and can't be read
	ProblemShort       ProblemKind = "short-file"   // a storage's file is shorter than what was committed
	ProblemHeader      ProblemKind = "header"       // a file's header is not what the catalog expects
	ProblemSums        ProblemKind = "sums"         // the checksums of a sealed storage are missing or damaged
	ProblemChecksum    ProblemKind = "checksum"     // elements of a sealed storage are not those that were sealed; only Verify looks
	ProblemBounds      ProblemKind = "bounds"       // a record reaches beyond its storage
	ProblemUnsynced    ProblemKind = "unsynced"     // the disk may not have got what was written
	ProblemDirty       ProblemKind = "dirty"        // in-place writing was not finished
	ProblemPatch       ProblemKind = "patch"        // a small change was interrupted
	ProblemChanged     ProblemKind = "changed"      // an adopted file is not the one adopted
	ProblemQuarantined ProblemKind = "quarantined"  // a storage is out of use
	ProblemOrphan      ProblemKind = "orphan"       // a file that nothing names; gc removes it
	ProblemSnapshot    ProblemKind = "snapshot"     // a snapshot, or a file that it needs, is damaged
	ProblemUnknown     ProblemKind = "unknown-file" // a file that is not the store's
)

// Problem is one finding of Check, in plain words.
type Problem struct {
	Kind       ProblemKind
	Names      []string
	File       string
	Detail     string
	Remedy     string
	Repairable bool
	Harmless   bool

	storage catalog.Storage
}

// Check looks for damage: it reads the whole catalog and the header and size of every file, but not
// the elements.
func (s *Store) Check(ctx context.Context) ([]Problem, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return nil, err
	}
	var all []Problem
	for _, part := range []func(context.Context) ([]Problem, error){
		s.checkCatalog, s.checkStorages, s.checkRecords, s.checkFiles,
	} {
		found, err := part(ctx)
		if err != nil {
			return all, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// checkStorages looks at the file of every storage.
func (s *Store) checkStorages(ctx context.Context) ([]Problem, error) {
	var all []Problem
	var after catalog.ID
	for {
		page, err := s.Engine.StoragePage(ctx, after)
		if err != nil || len(page) == 0 {
			return all, err
		}
		// The transaction of the page is over: looking at files takes long.
		for _, st := range page {
			p, err := s.checkStorage(ctx, st)
			if err != nil {
				return all, err
			}
			if p != nil {
				all = append(all, *p)
			}
		}

		after = page[len(page)-1].ID
	}
}

// checkStorage looks at one storage. If someone else changes the storage meanwhile, it looks again.
func (s *Store) checkStorage(ctx context.Context, st catalog.Storage) (*Problem, error) {
	for {
		p := s.inspect(st)
		if p == nil {
			return nil, nil
		}

		// While a writer is at work, a header or a patch may be half-done: such faults don't count.
		busy := false
		if !st.Adopted {
			var err error
			if busy, err = s.Engine.StorageStaysBusy(ctx, st.ID); err != nil {
				return nil, err
			}
		}

		// The fault is real only if the record is the same before and after the look at the file.
		now, err := s.Engine.StorageNow(ctx, st.ID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil, nil
		case err != nil:
			return nil, err
		case busy && p.Kind != ProblemMissing && p.Kind != ProblemShort && p.Kind != ProblemDirty:
			return nil, nil
		case reflect.DeepEqual(now, st):
			p.storage = st
			if p.Kind == ProblemDirty {
				return s.checkWriters(ctx, p)
			}
			p.Names, err = s.Engine.SharersOf(ctx, st.ID)
			return p, err
		}

		st = now
	}
}

// inspect compares a storage's record with its file and state.
func (s *Store) inspect(st catalog.Storage) *Problem {
	if st.Adopted {
		if err := engine.CheckAdopted(s.Engine.FS, st); err != nil {
			return &Problem{Kind: ProblemChanged, File: st.Path, Detail: err.Error(), Remedy: "restore the file, or adopt it again"}
		}
		if st.Seal == nil {
			return nil
		}
		return s.inspectSums(st)
	}

	// The file comes before the state: damage outweighs an unfinished change.
	p := s.inspectFile(st)
	if p == nil && st.Seal != nil && st.State == catalog.Clean {
		p = s.inspectSums(st)
	}

	switch {
	case st.State == catalog.Quarantined && p == nil:
		return &Problem{Kind: ProblemQuarantined, File: st.File(), Detail: "the storage was taken out of use, but its file is whole again", Remedy: "repair puts it back into use, in the state it had before", Repairable: true}
	case st.State == catalog.Quarantined:
		p.Kind, p.Repairable = ProblemQuarantined, false
		p.Detail = "taken out of use: " + p.Detail
		p.Remedy = "restore the file from a copy, or delete the tensors"
		return p
	case p != nil && p.Kind != ProblemHeader:
		return p
	case st.State == catalog.Patching:
		return &Problem{Kind: ProblemPatch, File: st.File(), Detail: "a small change of " + st.Writer + " was interrupted", Remedy: "repair finishes it from the catalog, as whoever opens the tensor does", Repairable: true, Harmless: true}
	case st.State == catalog.Dirty:
		return &Problem{Kind: ProblemDirty, File: st.File(), Remedy: "look at it with --allow-dirty, then accept it as it is, or restore it"}
	case engine.IsUnwritten(st):
		return &Problem{Kind: ProblemUnsynced, File: st.File(), Detail: "it was committed with a durability of less than power, and the machine has been started anew since: elements may not have reached the disk", Remedy: "look at it with --allow-dirty, then accept it as it is, or restore it"}
	}
	return p
}

// checkWriters completes the problem of a dirty storage. It returns nil while all writers are at
// work.
func (s *Store) checkWriters(ctx context.Context, p *Problem) (*Problem, error) {
	dead, err := s.Engine.DeadWriters(p.storage)
	if err != nil || len(dead) == 0 {
		return nil, err
	}
	p.Detail = engine.Tell(dead) + " did not finish writing in place: elements there may be half old, half new"
	names, err := s.Engine.SharersOf(ctx, p.storage.ID)
	for _, name := range names {
		info, err := s.StatSelected(ctx, store.Selector{Name: name})
		if err != nil || len(info.WritersOf(dead)) > 0 {
			p.Names = append(p.Names, name)
		}
	}
	return p, err
}

// inspectFile compares a storage's record with its file.
func (s *Store) inspectFile(st catalog.Storage) *Problem {
	fi, err := s.Engine.FS.Stat(s.Engine.Path(st.File()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Problem{Kind: ProblemMissing, File: st.File(), Detail: "the data file is missing", Remedy: "repair takes the storage out of use until the file is back"}
	case err != nil:
		return unreadable(st, err)
	case !fi.Mode().IsRegular():
		return unreadable(st, fmt.Errorf("it is not a regular file (%s)", fi.Mode().Type()))
	}

	// The file is there: it must be long enough, and begin with the header of this storage.
	f, err := s.Engine.FS.OpenFile(s.Engine.Path(st.File()), os.O_RDONLY, 0)
	if err != nil {
		return unreadable(st, err)
	}
	defer f.Close()
	if want := st.HeaderBytes + st.PayloadBytes; fi.Size() < want {
		return &Problem{Kind: ProblemShort, File: st.File(), Detail: fmt.Sprintf("expected %d bytes, found %d", want, fi.Size()), Remedy: "repair takes the storage out of use until the file is back"}
	}

	b := make([]byte, storefile.HeaderBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return unreadable(st, err)
	}
	return inspectHeader(st, b)
}

// inspectSums looks at the checksums of a sealed storage, not at its elements.
func (s *Store) inspectSums(st catalog.Storage) *Problem {
	if _, err := s.Engine.LoadSums(st); err != nil {
		return &Problem{Kind: ProblemSums, File: cmp.Or(st.SumsFile(), st.File()), Detail: err.Error(), Remedy: "restore the file from a copy; or unseal the tensors, look at their elements, and seal them again"}
	}
	return nil
}

// unreadable returns a file that is there but can't be looked at. It is left as it is: the next
// look may do better.
func unreadable(st catalog.Storage, err error) *Problem {
	return &Problem{Kind: ProblemUnreadable, File: st.File(), Detail: "the data file can't be read: " + err.Error(), Remedy: "look at the disk and the permissions"}
}

func inspectHeader(st catalog.Storage, b []byte) *Problem {
	sum := storefile.HeaderSum(b)
	if sum == st.HeaderSum && !storefile.PromisesMore(b, st.PayloadBytes) {
		return nil
	}

	h, sp, err := storefile.ParseHeader(bytes.NewReader(b))
	if err != nil {
		return headerProblem(st, err.Error())
	}
	if sp.Storage != st.ID {
		return headerProblem(st, fmt.Sprintf("it belongs to storage %v", sp.Storage))
	}

	// From here on the header is one of this storage: say which state it describes.
	if sum != st.HeaderSum && sum == st.HeaderWas {
		p := headerProblem(st, fmt.Sprintf("a change was committed, and its header is not written yet: the file's describes %v of shape %s, as before", h.DType, store.ShapeText(h.Shape)))
		p.Harmless = true
		return p
	}
	if storefile.PromisesMore(b, st.PayloadBytes) {
		return headerProblem(st, fmt.Sprintf("it describes %v of shape %s, and %d bytes of elements are committed", h.DType, store.ShapeText(h.Shape), st.PayloadBytes))
	}

	p := headerProblem(st, fmt.Sprintf("it describes %v of shape %s, and is not the header that was written last", h.DType, store.ShapeText(h.Shape)))
	if isOlder(st, h, sp, b) {
		p.Detail = fmt.Sprintf("an append was interrupted between its commit and the header, which describes shape %s: the rows are there, and NumPy does not see them in the file", store.ShapeText(h.Shape))
		p.Harmless = true
	}
	return p
}

// isOlder reports whether a header is, to the byte, one that the storage had before rows were
// appended.
func isOlder(st catalog.Storage, h npyheader.Header, sp storefile.Spare, b []byte) bool {
	n, err := store.PayloadOf(h)
	if err != nil || n >= st.PayloadBytes {
		return false
	}
	was := storefile.Header{DType: h.DType, Shape: h.Shape, Fortran: h.Fortran, Spare: sp}
	again, err := was.Encode()
	return err == nil && bytes.Equal(again, b)
}

func headerProblem(st catalog.Storage, detail string) *Problem {
	return &Problem{Kind: ProblemHeader, File: st.File(), Detail: "the header is not what the catalog expects: " + detail, Remedy: "repair writes it again from the catalog, which is the authority", Repairable: true}
}

// checkRecords looks at the geometry of every tensor.
func (s *Store) checkRecords(ctx context.Context) ([]Problem, error) {
	var all []Problem
	after := ""
	for {
		var n int
		err := s.Engine.Catalog.View(ctx, func(c *catalog.Tx) error {
			page, err := c.List("", after, true, engine.ListPage)
			if err != nil {
				return err
			}

			n = len(page)
			for _, item := range page {
				after = item.Name
				if p := checkRecord(c, item.Record); p != nil {
					all = append(all, *p)
				}
			}
			return nil
		})

		if err != nil || n < engine.ListPage {
			return all, err
		}
	}
}

func checkRecord(c *catalog.Tx, rec catalog.Record) *Problem {
	if rec.Kind != catalog.KindTensor {
		return nil
	}

	bad := func(format string, args ...any) *Problem {
		p := &Problem{Kind: ProblemBounds, Names: []string{rec.Name}, Detail: fmt.Sprintf(format, args...)}
		if p.Repairable = !strings.HasPrefix(rec.Name, lostFound+"/"); p.Repairable {
			p.Remedy = "repair moves the record to the group " + lostFound
		} else {
			p.Remedy = "delete it when nothing can be learnt from it"
		}
		return p
	}

	l, err := record.Layout(rec)
	if err != nil {
		return bad("%v", err)
	}
	st, err := c.Storage(rec.Storage)
	if err != nil {
		return bad("its storage %v: %v", rec.Storage, err)
	}

	lo, hi := l.Bounds()
	if size := rec.DType.Size(); lo < hi && int64(hi) > st.PayloadBytes/int64(size) { // no elements need no room
		return bad("it reaches to element %d of a storage with room for %d", hi, st.PayloadBytes/int64(size))
	}
	return nil
}

// checkFolders looks for files that nothing names. Of those in the folders of storages and
// snapshots, u has them all.
func (s *Store) checkFolders(ctx context.Context, u *engine.Unused) ([]Problem, error) {
	garbage, err := s.Engine.Garbage(ctx, u)
	if err != nil {
		return nil, err
	}

	var all []Problem
	for _, g := range garbage {
		all = append(all, Problem{Kind: ProblemOrphan, File: g.File, Detail: fmt.Sprintf("no tensor uses it; it takes %d bytes", g.Bytes), Remedy: "gc removes it", Harmless: true})
	}

	dirs, err := s.Engine.StorageFolders()
	if err != nil {
		return all, err
	}

	for _, dir := range append(dirs, storefile.TmpDir, storefile.SnapshotDir) {
		entries, err := s.Engine.FS.ReadDir(s.Engine.Path(dir))
		if errors.Is(err, fs.ErrNotExist) && (dir == storefile.SnapshotDir || dir == storefile.TmpDir) {
			continue
		}
		if err != nil {
			return all, err
		}

		for _, e := range entries {
			if !isOwnFile(dir, e.Name()) {
				all = append(all, Problem{Kind: ProblemUnknown, File: path.Join(dir, e.Name()), Detail: "it is not a file of the store", Remedy: "move it away if it is yours", Harmless: true})
			}
		}
	}
	return all, nil
}

// isOwnFile reports whether a file of that name belongs in a folder.
func isOwnFile(dir, name string) bool {
	if dir == storefile.SnapshotDir {
		_, ok := storefile.ParseSnapshot(name)
		return ok
	}
	if dir == storefile.TmpDir {
		_, ok := storefile.TmpOwner(name)
		return ok
	}
	f, ok := storefile.ParseName(name)
	return ok && dir == path.Dir(f.Path())
}
