package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

const (
	kernelPath = "github.com/tstore/tstore/compute/internal/kernel"
	dtypePath  = "github.com/tstore/tstore/dtype"
)

// sources are the packages whose functions are translated.
type sources struct {
	kernel  *packages.Package
	program *ssa.Program
	byName  map[string]*ssa.Function // as ssa names them, with their packages
	numbers map[types.Object]numbers // the variables that hold constants
}

// numbers are the constants of a variable, by the bytes where they lie in it.
type numbers map[int64]constant.Value

// loadSources reads the packages of the module in a folder, without assembly, and what they import.
func loadSources(dir string) (*sources, error) {
	cfg := &packages.Config{Mode: packages.LoadAllSyntax, Dir: dir, BuildFlags: []string{"-tags=noasm", "-mod=readonly"}}
	loaded, err := packages.Load(cfg, kernelPath, dtypePath)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(loaded) > 0 {
		return nil, errors.New("the packages have errors")
	}

	s := &sources{byName: map[string]*ssa.Function{}, numbers: map[types.Object]numbers{}}
	s.program, _ = ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	s.program.Build()
	for fn := range ssautil.AllFunctions(s.program) {
		s.byName[fn.String()] = fn
	}
	for _, p := range loaded {
		if p.PkgPath == kernelPath {
			s.kernel = p
		}
		s.readNumbers(p)
	}
	return s, nil
}

// named returns a function of a package, as "modFloat[float32]$1" or "(F16).Float32" are.
func (s *sources) named(path, name string) (*ssa.Function, error) {
	full := path + "." + name
	if method, ok := strings.CutPrefix(name, "("); ok {
		full = "(" + path + "." + method
	}
	if fn := s.byName[full]; fn != nil {
		return fn, nil
	}
	return nil, fmt.Errorf("there is no function %s", full)
}

// readNumbers finds the variables of a package that are declared with constants.
func (s *sources) readNumbers(p *packages.Package) {
	for _, file := range p.Syntax {
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
					for i, name := range v.Names {
						found := numbers{}
						if found.read(p.TypesInfo, v.Values[i], 0) {
							s.numbers[p.TypesInfo.Defs[name]] = found
						}
					}
				}
			}
		}
	}
}

// read adds the constants of an expression that lies at some byte, and reports whether it consists
// of such alone.
func (n numbers) read(info *types.Info, e ast.Expr, at int64) bool {
	if v := info.Types[e].Value; v != nil {
		n[at] = v
		return true
	}
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}

	for i, element := range literal.Elts {
		pair, named := element.(*ast.KeyValueExpr)
		switch t := info.Types[e].Type.Underlying().(type) {
		case *types.Array:
			if named || !n.read(info, element, at+int64(i)*sizes.Sizeof(t.Elem())) {
				return false
			}
		case *types.Struct:
			if named {
				i, element = fieldNumber(t, pair.Key), pair.Value
			}
			if !n.read(info, element, at+fieldOffset(t, i)) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// fieldNumber returns the number of the field that a key of a literal names.
func fieldNumber(t *types.Struct, key ast.Expr) int {
	for i := range t.NumFields() {
		if t.Field(i).Name() == key.(*ast.Ident).Name {
			return i
		}
	}
	return -1
}

// sizes says how values lie in memory, the same way on all platforms of 64 bits.
var sizes = types.SizesFor("gc", "amd64")

func fieldOffset(t *types.Struct, i int) int64 {
	var fields []*types.Var
	for k := range t.NumFields() {
		fields = append(fields, t.Field(k))
	}
	return sizes.Offsetsof(fields)[i]
}
