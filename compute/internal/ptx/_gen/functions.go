package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function is what is translated, under the name of an operation and the type of its operands.
// Where widened is set it takes a float64 for each float32, and its result is rounded to one.
type function struct {
	name    string
	fn      *ssa.Function
	widened bool
}

// A loop is a function of package kernel whose first literal computes one element. It exists for
// each of the types.
type loop struct{ op, name, types string }

const (
	floats   = "float32 float64"
	integers = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
)

// loops are the operations that take more than a few instructions and are not in kernel's tables of
// functions.
var loops = []loop{
	{"FloorDiv", "floorDivFloat", floats}, {"Mod", "modFloat", floats}, {"Fmod", "fmodFloat", floats},
	{"FloorDiv", "floorDivInteger", integers}, {"Mod", "modInteger", integers}, {"Fmod", "fmodInteger", integers},
	{"Pow", "powInteger", integers},
}

// complexLoops are loops on complex numbers, and complexFunctions functions of one: both exist for
// the two types of their parts.
var (
	complexLoops     = map[string]string{"Mul": "complexMul", "Div": "complexDiv", "Square": "complexSquare", "Abs": "complexAbs"}
	complexFunctions = map[string]string{"Sign": "signComplex[%s]", "Reciprocal": "(pair[%s]).reciprocal"}
)

// conversions are functions of package dtype between float32 or, to narrow it, float64 and what
// exists in memory only.
var conversions = []struct{ name, function string }{
	{"To bfloat16", "ToBF16"}, {"To float8_e4m3fn", "ToF8E4M3FN"}, {"To float8_e5m2", "ToF8E5M2"},
	{"Narrow bfloat16", "float64ToBF16"}, {"Narrow float8_e4m3fn", "float64ToF8E4M3FN"}, {"Narrow float8_e5m2", "float64ToF8E5M2"},
	{"From float8_e4m3fn", "(F8E4M3FN).Float32"}, {"From float8_e5m2", "(F8E5M2).Float32"},
}

// functions lists what is to be translated, sorted by name.
func (s *sources) functions() ([]function, error) {
	all, err := s.tableFunctions()
	ofComplex, missing := s.complexTable()
	all, err = append(all, ofComplex...), errors.Join(err, missing)
	add := func(name, path, inPackage string) {
		fn, missing := s.named(path, inPackage)
		err = errors.Join(err, missing)
		all = append(all, function{name: name, fn: fn})
	}

	for _, l := range loops {
		for _, typ := range strings.Fields(l.types) {
			add(l.op+" "+typ, kernelPath, l.name+"["+typ+"]$1")
		}
	}
	for typ, part := range map[string]string{"complex64": "float32", "complex128": "float64"} {
		for op, name := range complexLoops {
			add(op+" "+typ, kernelPath, name+"["+part+"]$1")
		}
		for op, name := range complexFunctions {
			add(op+" "+typ, kernelPath, fmt.Sprintf(name, part))
		}
	}
	add("Pow complex128", kernelPath, "complexPow")
	for typ, size := range map[string]string{"float32": "1", "float64": "2"} {
		add("NextAfter "+typ, kernelPath, "setNextAfter$"+size+"$1")
	}
	for _, c := range conversions {
		add(c.name, dtypePath, c.function)
	}

	slices.SortFunc(all, func(a, b function) int { return cmp.Compare(a.name, b.name) })
	return all, err
}

// tableFunctions reads the tables functions1 and functions2 of package kernel: for each operation
// the function of float64s and, if there is one, another of float32s or for float32 results.
func (s *sources) tableFunctions() (all []function, err error) {
	for _, table := range []string{"functions1", "functions2"} {
		entries, found := s.composite(table)
		if found != nil {
			return nil, found
		}
		for _, entry := range entries {
			pair, ok := entry.(*ast.KeyValueExpr)
			if !ok {
				return nil, fmt.Errorf("%s has an entry without a key", table)
			}
			functions, missing := s.tableEntry(pair)
			err = errors.Join(err, missing)
			all = append(all, functions...)
		}
	}
	return all, err
}

// composite returns the elements of the literal that a variable of package kernel begins with.
func (s *sources) composite(name string) ([]ast.Expr, error) {
	for _, file := range s.kernel.Syntax {
		if object := file.Scope.Lookup(name); object != nil {
			if spec, ok := object.Decl.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				if literal, ok := spec.Values[0].(*ast.CompositeLit); ok {
					return literal.Elts, nil
				}
			}
		}
	}
	return nil, fmt.Errorf("package kernel has no table %s", name)
}

// tableEntry returns the functions of an operation.
func (s *sources) tableEntry(entry *ast.KeyValueExpr) (all []function, err error) {
	op := entry.Key.(*ast.Ident).Name
	fields := map[string]*ssa.Function{}
	for i, element := range entry.Value.(*ast.CompositeLit).Elts {
		field := []string{"wide", "narrow"}[min(i, 1)]
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			field, element = pair.Key.(*ast.Ident).Name, pair.Value
		}
		fn, missing := s.named(kernelPath, element.(*ast.Ident).Name)
		err = errors.Join(err, missing)
		fields[field] = fn
	}

	single := function{op + " float32", fields["single"], false}
	if single.fn == nil {
		single = function{op + " float32", cmp.Or(fields["narrow"], fields["wide"]), true}
	}
	return []function{{op + " float64", fields["wide"], false}, single}, err
}

// complexTable reads the table complexFunctions of package kernel, of functions of complex128.
func (s *sources) complexTable() (all []function, err error) {
	entries, err := s.composite("complexFunctions")
	for _, entry := range entries {
		pair, ok := entry.(*ast.KeyValueExpr)
		if !ok {
			return nil, errors.New("complexFunctions has an entry without a key")
		}
		fn, missing := s.named(kernelPath, pair.Value.(*ast.Ident).Name)
		if err = errors.Join(err, missing); fn != nil {
			all = append(all, function{pair.Key.(*ast.Ident).Name + " complex128", fn, false})
		}
	}
	return all, err
}
