package archtest

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Breach is one place where a rule is broken.
type Breach struct {
	Pos  string // "view/layout.go:12", relative to the tree's root
	What string // the rule and what was found
}

// String returns the breach as compilers write errors.
func (b Breach) String() string { return b.Pos + ": " + b.What }

// Check returns every breach in the Go files of a tree, in the order of the files' names. The
// tree's root holds the go.mod that names the module. Hidden folders, vendor, the root's bin (build
// output), and folders called testdata under a package are not read; nested modules are, by the
// same rules. The error is for what can't be read or parsed.
func Check(tree fs.FS) ([]Breach, error) {
	module, err := modulePath(tree)
	if err != nil {
		return nil, err
	}

	var breaches []Breach
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && ignored(name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}

		found, err := checkFile(tree, module, name)
		breaches = append(breaches, found...)
		return err
	})

	if err != nil {
		return nil, fmt.Errorf("check source tree: %w", err)
	}
	return breaches, nil
}

// modulePath returns the path that the module line of the root's go.mod gives.
func modulePath(tree fs.FS) (string, error) {
	text, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return "", fmt.Errorf("find module path: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if module, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(module), nil
		}
	}
	return "", fmt.Errorf("find module path: go.mod has no module line")
}

// ignored reports whether a folder is none of ours. The testdata folder at the root is a package;
// deeper ones hold files for tests, which may break rules on purpose.
func ignored(dir string) bool {
	base := path.Base(dir)
	switch {
	case dir == "." || dir == "testdata":
		return false
	case base == "testdata" || base == "vendor" || dir == "bin":
		return true
	}
	return strings.HasPrefix(base, ".")
}

// file is one parsed Go file while it is checked.
type file struct {
	module   string
	dir      string
	name     string
	set      *token.FileSet
	syntax   *ast.File
	packages map[string]string // name in this file → import path
	breaches []Breach
}

// checkFile parses one file and applies every rule to it.
func checkFile(tree fs.FS, module, name string) ([]Breach, error) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}

	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{module: module, dir: path.Dir(name), name: name, set: set, syntax: syntax, packages: map[string]string{}}

	f.checkPlace()
	f.checkImports()
	f.checkComments()

	ast.Inspect(syntax, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			f.checkCall(call)
		}
		return true
	})

	return f.breaches, nil
}

func (f *file) report(at token.Pos, format string, args ...any) {
	pos := f.set.Position(at)
	f.breaches = append(f.breaches, Breach{
		Pos:  f.name + ":" + strconv.Itoa(pos.Line),
		What: fmt.Sprintf(format, args...),
	})
}

// checkPlace reports a file in a folder that the table of layers does not know.
func (f *file) checkPlace() {
	if _, _, ok := layerOf(f.dir); !ok {
		f.report(f.syntax.Package, "folder %s belongs to no layer: name it in internal/archtest/layers.go", f.dir)
	}
}

// checkImports applies the layer order and confines cgo to the cuda tag.
func (f *file) checkImports() {
	for _, spec := range f.syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has seen it: can't happen
		}

		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		f.packages[name] = imported

		if imported == "C" && !f.needsTag("cuda") {
			f.report(spec.Pos(), `imports "C" without the build tag cuda: default builds use no cgo`)
		}
		if to, ok := f.folder(imported); ok && !(f.isExternalTest() && mayTestWith(f.dir, to)) {
			if what := importBreach(f.dir, to); what != "" {
				f.report(spec.Pos(), "%s", what)
			}
		}
	}
}

// isExternalTest reports whether the file belongs to a test that sees a package from outside.
func (f *file) isExternalTest() bool { return strings.HasSuffix(f.syntax.Name.Name, "_test") }

// folder returns the folder of an import path of this repository.
func (f *file) folder(imported string) (string, bool) {
	if imported == f.module {
		return ".", true
	}
	return strings.CutPrefix(imported, f.module+"/")
}

// needsTag reports whether the file's build constraint can't be met without the tag.
func (f *file) needsTag(tag string) bool {
	for _, group := range f.syntax.Comments {
		if group.Pos() >= f.syntax.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			expr, err := constraint.Parse(c.Text)
			return err == nil && !possible(expr, tag, true)
		}
	}
	return false
}

// possible reports whether a constraint can come out as want with tag unset and every other tag
// free.
func possible(expr constraint.Expr, tag string, want bool) bool {
	switch x := expr.(type) {
	case *constraint.NotExpr:
		return possible(x.X, tag, !want)
	case *constraint.AndExpr:
		if want {
			return possible(x.X, tag, true) && possible(x.Y, tag, true)
		}
		return possible(x.X, tag, false) || possible(x.Y, tag, false)
	case *constraint.OrExpr:
		if want {
			return possible(x.X, tag, true) || possible(x.Y, tag, true)
		}
		return possible(x.X, tag, false) && possible(x.Y, tag, false)
	case *constraint.TagExpr:
		return x.Tag != tag || !want
	}
	return true
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME)\b`)

// checkComments reports notes of unfinished work.
func (f *file) checkComments() {
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if note := unfinished.FindString(c.Text); note != "" {
				f.report(c.Pos(), "%s in a comment: finish the work or leave the note out", note)
			}
		}
	}
}

// checkCall reports library code that ends the process, and tests skipped without a reason.
func (f *file) checkCall(call *ast.CallExpr) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	on, ok := method.X.(*ast.Ident)
	if !ok {
		return
	}
	name := method.Sel.Name
	if f.ends(on.Name, name) && !isCommand(f.dir) && !strings.HasSuffix(f.name, "_test.go") {
		f.report(call.Pos(), "calls %s.%s: only commands end the process; return an error", on.Name, name)
	}
	if isTestHandle(on.Name) && skipsSilently(name, call.Args) {
		f.report(call.Pos(), "calls %s.%s without a reason", on.Name, name)
	}
}

// ends reports whether package.function, as named in this file, ends the process.
func (f *file) ends(pkg, function string) bool {
	switch f.packages[pkg] {
	case "os":
		return function == "Exit"
	case "log":
		return strings.HasPrefix(function, "Fatal")
	}
	return false
}

// isTestHandle reports whether a variable has a name that tests, benchmarks and fuzz targets get by
// custom.
func isTestHandle(name string) bool {
	return name == "t" || name == "b" || name == "f" || name == "tb"
}

// skipsSilently reports whether a call of the method skips a test with nothing said.
func skipsSilently(method string, args []ast.Expr) bool {
	switch method {
	case "SkipNow":
		return true
	case "Skip", "Skipf":
		if len(args) != 1 {
			return len(args) == 0
		}
		text, ok := args[0].(*ast.BasicLit)
		return ok && strings.Trim(text.Value, "\"` ") == ""
	}
	return false
}
