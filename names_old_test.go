package tstore_test

import (
	"errors"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// TestInvisibleNames refuses them in every way to a new name, and brings one of an older store back from its snapshot.
func TestInvisibleNames(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	create(t, s, "x", source(t, 0, 3))
	bad := "x\u202e"
	for what, err := range map[string]error{
		"create":   s.Create(ctx, bad, source(t, 0, 3)),
		"blob":     s.PutBlob(ctx, bad, catalog.IntValue(1)),
		"view":     s.View(ctx, bad, "x[1:]"),
		"copy":     s.Copy(ctx, bad, "x", nil),
		"rename":   s.Rename(ctx, "x", bad),
		"define":   s.Define(ctx, bad, "x + 1", nil),
		"eval":     second(s.Eval(ctx, "`"+bad+"` = x + 1", nil)),
		"snapshot": second(s.CreateSnapshot(ctx, bad, "")),
	} {
		if !errors.Is(err, catalog.ErrBadName) {
			t.Errorf("%s: %v, expected ErrBadName", what, err)
		}
	}
	must(t, tstore.EditRecordName(ctx, s, "x", bad))
	must(t, second(s.CreateSnapshot(ctx, "old", "")))
	wantValues(t, s, bad, 0, 1, 2)
	must(t, s.Rename(ctx, bad, "seen"))
	must(t, second(s.RestoreSnapshot(ctx, "old")))
	wantValues(t, s, bad, 0, 1, 2)
	must(t, s.Delete(ctx, bad))
}
