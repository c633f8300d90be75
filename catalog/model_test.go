package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/catalog"
)

// model is what a catalog is expected to hold.
type model struct {
	records  map[string]catalog.ID // zero for blobs and lazy names
	versions map[string]uint64
	storages map[catalog.ID]catalog.Storage
	trash    map[string]bool
}

func newModel() *model {
	return &model{map[string]catalog.ID{}, map[string]uint64{}, map[catalog.ID]catalog.Storage{}, map[string]bool{}}
}

func (m *model) clone() *model {
	return &model{maps.Clone(m.records), maps.Clone(m.versions), maps.Clone(m.storages), maps.Clone(m.trash)}
}

func (m *model) isGroup(name string) bool {
	for other := range m.records {
		if strings.HasPrefix(other, name+"/") {
			return true
		}
	}
	return false
}

func (m *model) inValue(name string) bool {
	for other := range m.records {
		if strings.HasPrefix(name, other+"/") {
			return true
		}
	}
	return false
}

func (m *model) drop(id catalog.ID) {
	s, ok := m.storages[id]
	if !ok {
		return
	}
	if s.Refs--; s.Refs > 0 {
		m.storages[id] = s
		return
	}
	delete(m.storages, id)
	if !s.Adopted {
		m.trash[s.File()] = true
	}
}

func (m *model) put(name string, id catalog.ID) error {
	old, exists := m.records[name]
	if !exists && (m.isGroup(name) || m.inValue(name)) {
		return catalog.ErrConflict
	}
	if !id.IsZero() {
		s, ok := m.storages[id]
		if !ok {
			return catalog.ErrNotFound
		}
		s.Refs++
		m.storages[id] = s
	}
	m.records[name] = id
	m.versions[name]++
	if exists {
		m.drop(old)
	}
	return nil
}

func (m *model) delete(name string) error {
	old, exists := m.records[name]
	switch {
	case !exists && m.isGroup(name):
		return catalog.ErrConflict
	case !exists:
		return catalog.ErrNotFound
	}
	delete(m.records, name)
	delete(m.versions, name)
	m.drop(old)
	return nil
}

func (m *model) rename(from, to string) error {
	_, isValue := m.records[from]
	isGroup := m.isGroup(from)
	_, taken := m.records[to]
	switch {
	case !isValue && !isGroup:
		return catalog.ErrNotFound
	case from == to:
		return nil
	case taken:
		return catalog.ErrExists
	case m.isGroup(to), m.inValue(to), strings.HasPrefix(to, from+"/"):
		return catalog.ErrConflict
	}
	for _, name := range slices.Collect(maps.Keys(m.records)) {
		if name == from || strings.HasPrefix(name, from+"/") {
			renamed := to + name[len(from):]
			m.records[renamed], m.versions[renamed] = m.records[name], m.versions[name]
			delete(m.records, name)
			delete(m.versions, name)
		}
	}
	return nil
}

// putStorage adds or changes a storage that is in use.
func (m *model) putStorage(s catalog.Storage) {
	if old, ok := m.storages[s.ID]; ok {
		s.Refs = old.Refs
		if old.File() != s.File() && !old.Adopted {
			m.trash[old.File()] = true
		}
	}
	delete(m.trash, s.File())
	m.storages[s.ID] = s
}

// anyStorage returns a storage of the model, in an order that the seed decides.
func (m *model) anyStorage(r *rand.Rand) catalog.ID {
	ids := slices.SortedFunc(maps.Keys(m.storages), func(a, b catalog.ID) int { return slices.Compare(a[:], b[:]) })
	if len(ids) == 0 {
		return catalog.ID{1}
	}
	return ids[r.IntN(len(ids))]
}

// step does one random operation on both, and compares their errors.
func (m *model) step(r *rand.Rand, tx *catalog.Tx) error {
	name, other := randomName(r), randomName(r)
	var want, got error
	what := ""
	switch r.IntN(12) {
	case 0, 1, 2:
		s := catalog.Storage{ID: randomID(r), HeaderBytes: 4096, PayloadBytes: 48}
		if r.IntN(4) == 0 {
			s.Adopted, s.Path = true, "/data/"+s.ID.String()
		}
		what = "put new " + name
		before := m.clone()
		m.putStorage(s)
		if want = m.put(name, s.ID); want != nil {
			*m = *before
		}
		if got = tx.PutStorage(s); got == nil {
			if got = tx.Put(tensor(name, s.ID)); got != nil {
				got = errors.Join(got, tx.DropStorage(s.ID), tx.ClearTrash(s.File()))
			}
		}
	case 3, 4:
		id := m.anyStorage(r)
		what = fmt.Sprintf("put %s over %v", name, id)
		want, got = m.put(name, id), tx.Put(tensor(name, id))
	case 5:
		what = "put blob or lazy name " + name
		rec := blob(name, "text")
		if r.IntN(2) == 0 {
			rec = lazy(name, "a + b")
		}
		want, got = m.put(name, catalog.ID{}), tx.Put(rec)
	case 6, 7, 8:
		what = "delete " + name
		want, got = m.delete(name), tx.Delete(name)
	case 9, 10:
		what = fmt.Sprintf("rename %s to %s", name, other)
		want, got = m.rename(name, other), tx.Rename(name, other)
	case 11:
		s, ok := m.storages[m.anyStorage(r)]
		if !ok {
			return nil
		}
		what = "next generation of " + s.ID.String()
		s.Gen++
		s.Changes++
		m.putStorage(s)
		got = tx.PutStorage(s)
	}
	if (want == nil) != (got == nil) || want != nil && !errors.Is(got, want) {
		return fmt.Errorf("%s: got error %v, want %v", what, got, want)
	}
	return nil
}

func randomName(r *rand.Rand) string {
	parts := make([]string, 1+r.IntN(3))
	for i := range parts {
		parts[i] = string("abc!~"[r.IntN(5)]) + strings.Repeat("x", r.IntN(2))
	}
	return strings.Join(parts, "/")
}

func randomID(r *rand.Rand) (id catalog.ID) {
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	return id
}

// compare checks that a transaction shows exactly the model.
func (m *model) compare(t *testing.T, tx *catalog.Tx) {
	t.Helper()
	records, versions := map[string]catalog.ID{}, map[string]uint64{}
	for rec, err := range tx.Records() {
		if err != nil {
			t.Fatal(err)
		}
		records[rec.Name], versions[rec.Name] = rec.Storage, rec.Version
	}
	mustEqual(t, "records", records, m.records)
	for name, v := range versions {
		if v < m.versions[name] {
			t.Errorf("version of %q is %d, expected at least %d", name, v, m.versions[name])
		}
	}
	storages := map[catalog.ID]catalog.Storage{}
	for s, err := range tx.Storages() {
		if err != nil {
			t.Fatal(err)
		}
		s.Created = m.storages[s.ID].Created
		storages[s.ID] = s
	}
	mustEqual(t, "storages", storages, m.storages)
	list, err := tx.Trash()
	if err != nil {
		t.Fatal(err)
	}
	trash := map[string]bool{}
	for _, f := range list {
		trash[f.File] = true
	}
	mustEqual(t, "trash", trash, m.trash)
	m.compareSharers(t, tx)
	m.compareLists(t, tx)
}

func (m *model) compareSharers(t *testing.T, tx *catalog.Tx) {
	t.Helper()
	want := map[catalog.ID][]string{}
	for name, id := range m.records {
		if !id.IsZero() {
			want[id] = append(want[id], name)
		}
	}
	got := map[catalog.ID][]string{}
	for id := range m.storages {
		names, err := tx.Sharers(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want[id])
		slices.Sort(names)
		got[id] = names
	}
	mustEqual(t, "sharers", got, want)
}

// compareLists walks through all groups in small pages.
func (m *model) compareLists(t *testing.T, tx *catalog.Tx) {
	t.Helper()
	groups := map[string]map[string]bool{"": {}}
	for name := range m.records {
		for parent, child := "", name; ; {
			head, rest, more := strings.Cut(child, "/")
			full := strings.TrimPrefix(parent+"/"+head, "/")
			if groups[parent] == nil {
				groups[parent] = map[string]bool{}
			}
			groups[parent][full] = more
			if !more {
				break
			}
			parent, child = full, rest
		}
	}
	for group, want := range groups {
		mustEqual(t, "list of "+group, listAll(t, tx, group, false), want)
		var inside []string
		for name := range m.records {
			if group == "" || strings.HasPrefix(name, group+"/") {
				inside = append(inside, name)
			}
		}
		slices.Sort(inside)
		mustEqual(t, "recursive list of "+group, slices.Sorted(maps.Keys(listAll(t, tx, group, true))), inside)
	}
}

// listAll lists a group in pages of two; the values say what is a group. No item may come twice.
func listAll(t *testing.T, tx *catalog.Tx, group string, recursive bool) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for after := ""; ; {
		page, err := tx.List(group, after, recursive, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page {
			if _, twice := all[item.Name]; twice {
				t.Fatalf("list of %q shows %q twice", group, item.Name)
			}
			all[item.Name] = item.IsGroup
		}
		if len(page) < 2 {
			return all
		}
		after = page[1].Name
	}
}

// TestModel compares random transactions with an in-memory model. Half of the transactions are
// given up.
func TestModel(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	c, dir := createIn(t, t.TempDir(), &catalog.Options{NoSync: true})
	m := newModel()
	for i := range 150 {
		next := m.clone()
		ops := 1 + r.IntN(12)
		giveUp := r.IntN(4) == 0
		err := c.Update(context.Background(), func(tx *catalog.Tx) error {
			for range ops {
				if err := next.step(r, tx); err != nil {
					return err
				}
			}
			if i%10 == 0 {
				next.compare(t, tx)
			}
			if giveUp {
				return errStop
			}
			return nil
		})
		if giveUp && !errors.Is(err, errStop) || !giveUp && err != nil {
			t.Fatalf("transaction %d: %v", i, err)
		}
		if !giveUp {
			m = next
		}
		fresh := open(t, dir, &catalog.Options{ReadOnly: true})
		view(t, fresh, func(tx *catalog.Tx) error { m.compare(t, tx); return nil })
		mustBeSound(t, fresh)
		if t.Failed() {
			t.Fatalf("after transaction %d", i)
		}
	}
}
