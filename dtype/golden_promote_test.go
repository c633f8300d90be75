package dtype_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/dtype"
)

// foreign are the types that come from ml_dtypes.
var foreign = []dtype.Type{dtype.BFloat16, dtype.Float8E4M3FN, dtype.Float8E5M2}

func isForeign(t dtype.Type) bool { return slices.Contains(foreign, t) }

func TestPromoteAsNumPy(t *testing.T) {
	lines := goldenLines(t, "numpy_promote.txt", 3)
	if n := len(dtype.All()); len(lines) != n*n {
		t.Fatalf("%d pairs, want all %d", len(lines), n*n)
	}
	for _, line := range lines {
		a, b := parseType(t, line[0]), parseType(t, line[1])
		want := meetingOfForeign(a, b)
		if line[2] != "-" {
			want = parseType(t, line[2])
		}
		if got := dtype.Promote(a, b); got != want {
			t.Errorf("%v and %v meet in %v, want %v", a, b, got, want)
		}
	}
}

// meetingOfForeign is where two types meet that ml_dtypes has no answer for: two floats in float32,
// a float and an integer where the integer and float16 would.
func meetingOfForeign(a, b dtype.Type) dtype.Type {
	for _, t := range []dtype.Type{a, b} {
		switch t {
		case dtype.Int32, dtype.Int64, dtype.Uint32, dtype.Uint64:
			return dtype.Float64
		}
	}
	return dtype.Float32
}

func TestPromoteAllAsNumPy(t *testing.T) {
	for _, line := range goldenLines(t, "numpy_result_all.txt", 4) {
		if line[3] == "-" {
			continue // no answer by ml_dtypes: TestPromoteAllIsTheNarrowest
		}
		a, b, c := parseType(t, line[0]), parseType(t, line[1]), parseType(t, line[2])
		want := parseType(t, line[3])
		for _, order := range [][]dtype.Type{{a, b, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
			if got := dtype.PromoteAll(order...); got != want {
				t.Errorf("%v meet in %v, NumPy %v", order, got, want)
			}
		}
	}
}

func TestCanCastAsNumPy(t *testing.T) {
	lines := goldenLines(t, "numpy_can_cast.txt", -1)
	if n := 5 * len(dtype.All()); len(lines) != n {
		t.Fatalf("%d lines, want %d", len(lines), n)
	}
	for _, line := range lines {
		rule, err := dtype.ParseCasting(line[0])
		if err != nil {
			t.Fatal(err)
		}
		from := parseType(t, line[1])
		for _, to := range dtype.All() {
			want := slices.Contains(line[2:], to.String())
			if rule == dtype.CastSameKind && to.Kind() == dtype.KindFloat && (isForeign(from) || isForeign(to)) {
				want = from.Kind() != dtype.KindComplex // where ml_dtypes strays from the order of kinds
			}
			if got := dtype.CanCast(from, to, rule); got != want {
				t.Errorf("CanCast(%v, %v, %v) is %v, want %v", from, to, rule, got, want)
			}
		}
	}
}

var kindNames = map[string]dtype.Kind{"bool": dtype.KindBool, "int": dtype.KindInt, "float": dtype.KindFloat, "complex": dtype.KindComplex}

func TestResultForAsNumPy(t *testing.T) {
	for _, line := range goldenLines(t, "numpy_result.txt", 3) {
		var types []dtype.Type
		var kinds []dtype.Kind
		for _, name := range split(line[0]) {
			types = append(types, parseType(t, name))
		}
		for _, name := range split(line[1]) {
			kinds = append(kinds, kindNames[name])
		}
		want := parseType(t, line[2])
		if weakFloatWithForeign(types, kinds) {
			want = types[0]
		}
		if got := dtype.ResultFor(types, kinds...); got != want {
			t.Errorf("%v with %v is %v, want %v", types, kinds, got, want)
		}
		if len(types) == 1 && len(kinds) == 1 {
			if got := dtype.PromoteScalar(types[0], kinds[0]); got != want {
				t.Errorf("%v with a %v is %v, want %v", types[0], kinds[0], got, want)
			}
		}
	}
}

// weakFloatWithForeign is where tstore differs from ml_dtypes: the float is weak there too.
func weakFloatWithForeign(types []dtype.Type, kinds []dtype.Kind) bool {
	return len(types) == 1 && isForeign(types[0]) && slices.Contains(kinds, dtype.KindFloat)
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func TestResultForFunctionsAsNumPy(t *testing.T) {
	lines := goldenLines(t, "numpy_ufunc.txt", -1)
	for _, line := range lines {
		a := parseType(t, line[0])
		got := []dtype.Type{dtype.ResultForMath(a), dtype.ResultForSum(a), dtype.ResultForSum(a), dtype.ResultForDivision(a, a)}
		for _, other := range lines {
			got = append(got, dtype.ResultForDivision(a, parseType(t, other[0])))
		}
		for i, name := range line[1:] {
			if want := parseType(t, name); got[i] != want {
				t.Errorf("%v, column %d: %v, NumPy %v", a, i+1, got[i], want)
			}
		}
	}
}

func TestParseAsNumPy(t *testing.T) {
	for _, line := range goldenLines(t, "numpy_names.txt", 2) {
		want, text := line[0], line[1]
		if strings.HasSuffix(text, "f1") { // what ml_dtypes writes, and can't read
			want = "float8_e5m2"
		}
		got, err := dtype.Parse(text)
		if want == "-" && err == nil || want != "-" && got.String() != want {
			t.Errorf("%q is %v (%v), NumPy %s", text, got, err, want)
		}
	}
}

func TestConvertSaturatingGolden(t *testing.T) {
	for _, line := range goldenLines(t, "numpy_saturate.txt", -1) {
		from, to := parseType(t, line[0]), parseType(t, line[1])
		for _, pair := range line[2:] {
			before, after, _ := strings.Cut(pair, ">")
			s, want := fromHex(t, from, before), fromHex(t, to, after)
			if got := s.ConvertSaturating(to); !same(got, want) {
				t.Errorf("%s saturates to %s, want %s", show(s), show(got), show(want))
			}
		}
	}
}
