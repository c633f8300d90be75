package tstore

import (
	"reflect"
	"testing"

	"github.com/tstore/tstore/internal/backup"
	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/snapshots"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/work"
)

// TestFieldsAreKept converts values that have every field set between the types of the API and those
// behind it. A field that one of them lacks, or that a conversion leaves out, is empty then.
func TestFieldsAreKept(t *testing.T) {
	for _, pair := range []struct{ from, to any }{
		{Options{}, func(o Options) any { return *o.inner() }},
		{Spec{}, func(s Spec) any { return s.inner() }},
		{store.Spec{}, func(s store.Spec) any { return specOf(s) }},
		{Source{}, func(s Source) any { return s.inner() }},
		{store.Source{}, func(s store.Source) any { return sourceOf(s) }},
		{Foreign{}, func(f Foreign) any { return f.inner() }},
		{Info{}, func(i Info) any { return *i.inner() }},
		{store.Info{}, func(i store.Info) any { return *infoOf(&i) }},
		{store.LockInfo{}, func(l store.LockInfo) any { return lockInfoOf(l) }},
		{snapshots.SnapshotInfo{}, func(i snapshots.SnapshotInfo) any { return *snapshotInfoOf(&i) }},
		{store.Tensor{}, func(x store.Tensor) any { return *tensorOf(&x) }},
		{&store.Writable{}, func(w *store.Writable) any { return *writableOf(w) }},
		{EvalOptions{}, func(o EvalOptions) any { return *o.inner() }},
		{work.EvalOutput{}, func(o work.EvalOutput) any { return evalOutputOf(o) }},
		{work.EvalResult{}, func(r work.EvalResult) any { return *evalResultOf(&r) }},
		{work.Reading{}, func(r work.Reading) any { return *readingOf(&r) }},
		{ImportOptions{}, func(o ImportOptions) any { return *o.inner() }},
		{DefineOptions{}, func(o DefineOptions) any { return *o.inner() }},
		{work.Formula{}, func(f work.Formula) any { return *formulaOf(&f) }},
		{check.Problem{}, func(p check.Problem) any { return problemOf(p) }},
		{Damage{}, func(d Damage) any { return d.inner() }},
		{check.Damage{}, func(d check.Damage) any { return damageOf(d) }},
		{check.VerifyReport{}, func(r check.VerifyReport) any { return *verifyReportOf(&r) }},
		{backup.Report{}, func(r backup.Report) any { return *backupReportOf(&r) }},
		{backup.RestoreReport{}, func(r backup.RestoreReport) any { return *restoreReportOf(&r) }},
	} {
		in := reflect.New(reflect.TypeOf(pair.from)).Elem()
		fillFields(in, 6)
		from, to := reflect.Indirect(in), reflect.ValueOf(pair.to).Call([]reflect.Value{in})[0].Elem()

		t.Run(from.Type().String(), func(t *testing.T) {
			for _, name := range emptyFields(to, "") {
				t.Errorf("%v has nothing in %s", to.Type(), name)
			}
			for i := range from.NumField() {
				f := from.Type().Field(i)
				if _, ok := to.Type().FieldByName(f.Name); f.IsExported() && !ok && !behind[f.Name] {
					t.Errorf("%v has no field %s", to.Type(), f.Name)
				}
			}
		})
	}
}

// behind are fields that the API does not show.
var behind = map[string]bool{"Store": true, "ComputedFrom": true, "Storage": true, "AxisNames": true}

// fillFields sets all exported fields of a struct, to some depth.
func fillFields(v reflect.Value, depth int) {
	if depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillFields(v.Field(i), depth-1)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillFields(v.Elem(), depth-1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillFields(v.Index(0), depth-1)
	case reflect.Array:
		fillFields(v.Index(0), depth-1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), nil))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	}
}

// emptyFields returns the fields of a struct of the API, or behind it, that have no value, but those
// of interfaces.
func emptyFields(v reflect.Value, at string) (names []string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case !f.IsExported() || f.Type.Kind() == reflect.Interface || behind[f.Name]:
		case v.Field(i).IsZero() && !(f.Type.Kind() == reflect.Struct && f.Type.NumField() > 0 && !f.Type.Field(0).IsExported()):
			names = append(names, at+f.Name)
		case f.Type.Kind() == reflect.Struct:
			names = append(names, emptyFields(v.Field(i), at+f.Name+".")...)
		}
	}
	return names
}
