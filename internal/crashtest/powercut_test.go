package crashtest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/powercut"
	"github.com/tstore/tstore/internal/storetest"
)

// powerSteps are changes of all kinds, one after the other.
func powerSteps(t testing.TB) []storetest.PowerStep {
	const rows = 12_000 // elements too many to be packed or patched
	put := func(name string, v []float64) func(storetest.State) { return func(s storetest.State) { s[name] = v } }
	nothing := func(storetest.State) {}
	return []storetest.PowerStep{
		{Name: "create", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Create(ctx, "a", storetest.Source(t, 0, rows))
		}, Effect: put("a", storetest.UpTo(rows)), InPlace: ""},
		{Name: "create packed", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("p/1", storetest.Packed(storetest.Source(t, 0, 10))), tx.Create("p/2", storetest.Packed(storetest.Source(t, 0, 20))))
			})
		}, Effect: func(s storetest.State) { s["p/1"], s["p/2"] = storetest.UpTo(10), storetest.UpTo(20) }, InPlace: ""},
		{Name: "append to packed", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "p/2", storetest.Source(t, 20, 5))
		}, Effect: put("p/2", storetest.UpTo(25)), InPlace: ""},
		{Name: "create together", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("o/1", storetest.Source(t, 0, 10)), tx.Create("o/2", storetest.Source(t, 0, 20)))
			})
		}, Effect: func(s storetest.State) { s["o/1"], s["o/2"] = storetest.UpTo(10), storetest.UpTo(20) }, InPlace: ""},
		{Name: "import", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Import(ctx, "sealed", storetest.Source(t, 0, rows), nil)
		}, Effect: put("sealed", storetest.UpTo(rows)), InPlace: ""},
		{Name: "log", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Create(ctx, "log", storetest.Source(t, 0, 9000))
		}, Effect: put("log", storetest.UpTo(9000)), InPlace: ""},
		{Name: "append", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "log", storetest.Source(t, 9000, 3000))
		}, Effect: put("log", storetest.UpTo(12_000)), InPlace: ""},
		{Name: "append to sealed", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "sealed", storetest.Source(t, rows, 5000))
		}, Effect: put("sealed", storetest.UpTo(rows+5000)), InPlace: ""},
		{Name: "patch", Do: func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "p/1", storetest.Scalar(t, 9)) }, Effect: put("p/1", storetest.Nines(10)), InPlace: ""},
		{Name: "rewrite", Do: func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "a", storetest.Scalar(t, 9)) }, Effect: put("a", storetest.Nines(rows)), InPlace: ""},
		{Name: "snapshot", Do: func(ctx context.Context, s *tstore.Store) error {
			_, err := s.CreateSnapshot(ctx, "first", "")
			return err
		}, Effect: func(s storetest.State) {
			for _, name := range slices.Sorted(maps.Keys(s)) {
				s[name+"@first"] = s[name]
			}
		}, InPlace: ""},
		{Name: "replace", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Replace(ctx, "a", storetest.Source(t, 0, 9500))
		}, Effect: put("a", storetest.UpTo(9500)), InPlace: ""},
		{Name: "write in place", Do: storetest.FillInPlace("a"), Effect: put("a", storetest.Nines(9500)), InPlace: "a"},
		{Name: "write parts in place", Do: func(ctx context.Context, s *tstore.Store) error { return fillParts(ctx, s, 5, "a[:4750]", "a[4750:]") },
			Effect: put("a", slices.Repeat([]float64{5}, 9500)), InPlace: "a"},
		{Name: "patch what a snapshot has", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Fill(ctx, "p/1[5:]", storetest.Scalar(t, 3))
		}, Effect: put("p/1", []float64{9, 9, 9, 9, 9, 3, 3, 3, 3, 3}), InPlace: ""},
		{Name: "restore", Do: func(ctx context.Context, s *tstore.Store) error {
			_, err := s.RestoreSnapshot(ctx, "first", "p/1", "log")
			return err
		}, Effect: put("p/1", storetest.Nines(10)), InPlace: ""},
		{Name: "append to what a snapshot has", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "log", storetest.Source(t, 12_000, 1000))
		}, Effect: put("log", storetest.UpTo(13_000)), InPlace: ""},
		{Name: "rename", Do: func(ctx context.Context, s *tstore.Store) error { return s.Rename(ctx, "p", "q") }, Effect: func(s storetest.State) {
			s["q/1"], s["q/2"] = s["p/1"], s["p/2"]
			delete(s, "p/1")
			delete(s, "p/2")
		}, InPlace: ""},
		{Name: "many at once", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Delete("q/2"), tx.Rename("a", "b"), tx.Create("a", storetest.Source(t, 0, 9001)), tx.Replace("q/1", storetest.Source(t, 0, 3)), tx.SetAttr("log", "n", catalog.IntValue(1)))
			})
		}, Effect: func(s storetest.State) {
			delete(s, "q/2")
			s["a"], s["b"], s["q/1"] = storetest.UpTo(9001), s["a"], storetest.UpTo(3)
		}, InPlace: ""},
		{Name: "seal", Do: func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "b", nil) }, Effect: nothing, InPlace: ""},
		{Name: "unseal", Do: func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, "sealed") }, Effect: nothing, InPlace: ""},
		{Name: "eval", Do: storetest.Evaluates("c = log * 0 + 9; log[:10000] = 9"), Effect: func(s storetest.State) {
			s["c"] = storetest.Nines(13_000)
			s["log"] = slices.Concat(storetest.Nines(10_000), s["log"][10_000:])
		}, InPlace: ""},
		{Name: "delete", Do: func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "sealed", "c") }, Effect: func(s storetest.State) {
			delete(s, "sealed")
			delete(s, "c")
		}, InPlace: ""},
		{Name: "compact", Do: func(ctx context.Context, s *tstore.Store) error { _, _, err := s.Compact(ctx); return err }, Effect: nothing, InPlace: ""},
		{Name: "remove snapshot", Do: func(ctx context.Context, s *tstore.Store) error { _, err := s.RemoveSnapshot(ctx, "first"); return err }, Effect: func(s storetest.State) {
			maps.DeleteFunc(s, func(name string, _ []float64) bool { return strings.Contains(name, "@") })
		}, InPlace: ""},
		{Name: "gc", Do: func(ctx context.Context, s *tstore.Store) error { _, err := s.GC(ctx, nil); return err }, Effect: nothing, InPlace: ""},
		{Name: "resize", Do: func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "log", 9500) }, Effect: func(s storetest.State) { s["log"] = s["log"][:9500] }, InPlace: ""},
	}
}

// TestPowerCut cuts the power at all points of changes of all kinds, and looks whether everything
// acknowledged is there, and each change wholly or not at all. It does so again without what the
// durable order needs, which must show.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	steps := powerSteps(t)
	log, states := storetest.RecordPower(t, steps)
	images, wrong := storetest.CutPower(t, log, steps, states, *storetest.PowerImages)
	t.Logf("seed %d: %d events of %d steps, looked at %d states", *storetest.PowerSeed, log.Len(), len(steps), images)
	if wrong != nil {
		t.Fatal(wrong)
	}
	made := log.After(1) // else the making of the store is what shows
	spoilt := map[string]*powercut.Log{
		"no sync of data":               made.Without(powercut.Event.IsDataSync),
		"no sync of folders":            made.Without(func(e powercut.Event) bool { return e.Kind == powercut.SyncDir }),
		"no sync of the catalog":        made.Without(powercut.Event.IsDatabaseSync),
		"no sync before the meta page":  made.Without(powercut.Event.IsFirstDatabaseSync),
		"commit before sync of data":    made.AfterCommit(powercut.Event.IsDataSync),
		"commit before sync of folders": made.AfterCommit(func(e powercut.Event) bool { return e.Kind == powercut.SyncDir }),
		"commit before rename":          made.AfterCommit(func(e powercut.Event) bool { return e.Kind == powercut.Rename || e.Kind == powercut.SyncDir }),
		"removal before commit":         made.BeforeCommit(func(e powercut.Event) bool { return e.Kind == powercut.Remove }),
	}
	for i, name := range slices.Sorted(maps.Keys(spoilt)) {
		if i%storetest.Every(5) != 0 {
			continue
		}
		images, wrong := storetest.CutPower(t, spoilt[name], steps, states, max(*storetest.PowerImages, 1000))
		t.Logf("%s: state %d is wrong: %v", name, images, wrong)
		if wrong == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}
