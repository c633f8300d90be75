package dtype_test

import (
	"testing"

	"github.com/tstore/tstore/dtype"
)

// TestPromoteIsALeastUpperBound checks what every caller relies on, for every three types.
func TestPromoteIsALeastUpperBound(t *testing.T) {
	for _, a := range dtype.All() {
		if got := dtype.Promote(a, a); got != a {
			t.Errorf("%v and itself meet in %v", a, got)
		}
		for _, b := range dtype.All() {
			both := dtype.Promote(a, b)
			if swapped := dtype.Promote(b, a); swapped != both {
				t.Errorf("%v and %v meet in %v, the other way round in %v", a, b, both, swapped)
			}
			if !dtype.CanCast(a, both, dtype.CastSafe) || !dtype.CanCast(b, both, dtype.CastSafe) {
				t.Errorf("%v and %v meet in %v, to which one is not safe", a, b, both)
			}
			for _, c := range dtype.All() {
				checkThree(t, a, b, c)
			}
		}
	}
}

func checkThree(t *testing.T, a, b, c dtype.Type) {
	t.Helper()
	if dtype.CanCast(a, b, dtype.CastSafe) && dtype.CanCast(b, c, dtype.CastSafe) && !dtype.CanCast(a, c, dtype.CastSafe) {
		t.Errorf("%v is safe to %v, and that to %v, but not the one to the other", a, b, c)
	}
	all := dtype.PromoteAll(a, b, c)
	for _, from := range []dtype.Type{a, b, c} {
		if !dtype.CanCast(from, all, dtype.CastSafe) {
			t.Errorf("%v, %v and %v meet in %v, to which %v is not safe", a, b, c, all, from)
		}
	}
	if stepwise := dtype.Promote(dtype.Promote(a, b), c); all.Size() > stepwise.Size() {
		t.Errorf("%v, %v and %v meet in %v, step by step in %v", a, b, c, all, stepwise)
	}
}

func TestCanCastRulesContainEachOther(t *testing.T) {
	for _, from := range dtype.All() {
		for _, to := range dtype.All() {
			for rule := dtype.CastNo; rule < dtype.CastSaturating; rule++ {
				if dtype.CanCast(from, to, rule) && !dtype.CanCast(from, to, rule+1) {
					t.Errorf("%v to %v is allowed by %v and not by %v", from, to, rule, rule+1)
				}
			}
			if !dtype.CanCast(from, to, dtype.CastSaturating) {
				t.Errorf("%v to %v is not allowed by %v", from, to, dtype.CastSaturating)
			}
		}
	}
}

func TestInvalidTypesMeetNowhere(t *testing.T) {
	for _, bad := range []dtype.Type{dtype.Invalid, 200} {
		tests := map[string]dtype.Type{
			"Promote":                dtype.Promote(bad, dtype.Bool),
			"Promote, second":        dtype.Promote(dtype.Bool, bad),
			"PromoteAll":             dtype.PromoteAll(dtype.Int8, bad, dtype.Int8),
			"PromoteScalar":          dtype.PromoteScalar(bad, dtype.KindInt),
			"ResultFor":              dtype.ResultFor([]dtype.Type{dtype.Int8, bad}, dtype.KindInt),
			"ResultForSum":           dtype.ResultForSum(bad),
			"ResultForMath":          dtype.ResultForMath(bad),
			"ResultForDivision":      dtype.ResultForDivision(bad, dtype.Int8),
			"PromoteAll of nothing":  dtype.PromoteAll(),
			"ResultFor of nothing":   dtype.ResultFor(nil),
			"PromoteScalar, kind":    dtype.PromoteScalar(dtype.Int8, dtype.KindInvalid),
			"PromoteScalar, kind 99": dtype.PromoteScalar(dtype.Int8, 99),
			"ResultFor, kind":        dtype.ResultFor(nil, dtype.KindInt, dtype.KindInvalid),
			"ResultFor, kind 99":     dtype.ResultFor([]dtype.Type{dtype.Int8}, 99),
		}
		for name, got := range tests {
			if got != dtype.Invalid {
				t.Errorf("%s of %v is %v", name, bad, got)
			}
		}
		for rule := dtype.CastNo; rule <= dtype.CastSaturating; rule++ {
			if dtype.CanCast(bad, dtype.Bool, rule) || dtype.CanCast(dtype.Bool, bad, rule) || dtype.CanCast(bad, bad, rule) {
				t.Errorf("%v can be cast by %v", bad, rule)
			}
		}
	}
	if dtype.CanCast(dtype.Bool, dtype.Bool, dtype.CastSaturating+1) {
		t.Error("an unknown rule allows something")
	}
}

func TestUnsignedScalarsAreIntegers(t *testing.T) {
	for _, typ := range dtype.All() {
		want := dtype.PromoteScalar(typ, dtype.KindInt)
		if got := dtype.PromoteScalar(typ, dtype.KindUint); got != want {
			t.Errorf("%v with a uint is %v, with an int %v", typ, got, want)
		}
	}
}

func TestParseCasting(t *testing.T) {
	names := []string{"no", "equiv", "safe", "same_kind", "unsafe", "saturating"}
	for rule := dtype.CastNo; rule <= dtype.CastSaturating; rule++ {
		if got := rule.String(); got != names[rule] {
			t.Errorf("rule %d is called %q, want %q", rule, got, names[rule])
		}
		if got, err := dtype.ParseCasting(names[rule]); got != rule || err != nil {
			t.Errorf("%q is read as %v, %v", names[rule], got, err)
		}
	}
	if got := dtype.Casting(77).String(); got != "Casting(77)" {
		t.Errorf("an unknown rule is called %q", got)
	}
	_, err := dtype.ParseCasting("Safe")
	want := `unknown casting "Safe": expected no, equiv, safe, same_kind, unsafe or saturating`
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
