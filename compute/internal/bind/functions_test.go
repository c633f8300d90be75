package bind

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tstore/tstore/internal/syntax"
)

var updateDocs = flag.Bool("update-docs", false, "write the tables of docs/expressions.md")

// TestFunctionsDocumented holds the tables of docs/expressions.md against the functions there are.
func TestFunctionsDocumented(t *testing.T) {
	const path, begin, end = "../../../docs/expressions.md", "<!-- functions -->\n", "<!-- end of functions -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks its marks", path)
	}
	want := before + begin + functionTables() + end + after
	if want == string(page) {
		return
	}
	if !*updateDocs {
		t.Fatalf("%s does not list the functions as they are: run go test ./compute/internal/bind -run %s -update-docs", path, t.Name())
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// functionTables writes a table for each topic.
func functionTables() string {
	var b strings.Builder
	for _, group := range allFunctions {
		fmt.Fprintf(&b, "### %s\n\n| function | |\n| --- | --- |\n", group.topic)
		for i := range group.table {
			fn := &group.table[i]
			name := "`" + fn.name + "(" + fn.params + ")`"
			if fn.symbol != "" {
				name = "`" + strings.ReplaceAll(fn.symbol, "|", `\|`) + "` " + name
			}
			if fn.aliases != "" {
				name += " (" + strings.Join(strings.Fields(fn.aliases), ", ") + ")"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", name, strings.ReplaceAll(fn.doc, "|", `\|`))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestFunctionTables checks what the tables of functions promise.
func TestFunctionTables(t *testing.T) {
	for _, fn := range Functions().All() {
		row := rowOf(&fn)
		if row.name != fn.Name || row.doc == "" || row.bind == nil || len(fn.Params) == 0 {
			t.Errorf("%s is not complete", fn.Name)
		}
		if got := fn.Signature(); got != row.name+"("+row.params+")" {
			t.Errorf("signature %s, want %s(%s)", got, row.name, row.params)
		}

		optional := false
		for _, p := range fn.Params {
			if optional && !p.Optional {
				t.Errorf("%s: %s comes after what can be left out", fn.Name, p.Name)
			}
			optional = p.Optional
		}
	}
}

// TestUnknownFunctions checks that the error of a name that no function has suggests a similar one
// or another library's word for it, that it does not guess where nothing is near, and that no
// function is said to be elsewhere that is there.
func TestUnknownFunctions(t *testing.T) {
	fns := Functions()
	for _, fn := range fns.All() {
		for name := range strings.FieldsSeq(fn.Name + " " + fn.Aliases) {
			if got := fns.Unknown(name).Error(); strings.Contains(got, ": ") && !strings.Contains(got, "did you mean") {
				t.Errorf("%s is there, and is said not to be: %s", name, got)
			}
		}
	}

	for want, names := range map[string]string{
		"sqrt": "sqrr sqr sqtr", "move_mean": "movmean", "arcsin": "arcsine", "sum": "summ smu", "mean": "maen meann",
		"argmax": "argmx agrmax", "std": "stdev stddev", "concatenate": "concatente append cat", "cumsum": "cumulative_sum",
		"random": "rand", "normal": "randn", "integers": "randint", "where": "map select nan_to_num", "unique": "unique_values",
		"": "foo x xy ab n qz cj lnn len lanx det3x nothing_like_it set get hsum",
	} {
		for name := range strings.FieldsSeq(names) {
			got := fns.Unknown(name).Error()
			_, near, _ := strings.Cut(got, "did you mean ")
			if strings.Trim(near, `"?`) != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
			if near != "" && fns.Find(want) == nil {
				t.Errorf("%s: there is no %s", name, want)
			}
		}
	}

	for name, want := range map[string]string{"len": "tstore info", "diag": "a.diagonal()", "meshgrid": "newaxis", "eig": "eigh", "divmod": "x // y"} {
		if got := fns.Unknown(name).Error(); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestOperators checks that the operators of the tables are those of the language, with its
// precedence.
func TestOperators(t *testing.T) {
	for _, fn := range Functions().All() {
		switch {
		case fn.Symbol == "":
		case len(fn.Params) == 1:
			if tree := syntax.Expression(fn.Symbol + "b"); tree.Err != nil || tree.Root.Kind != syntax.Unary {
				t.Errorf("%s: the language has %s, %+v", fn.Symbol, tree.Root, tree.Err)
			}
		default:
			tree := syntax.Expression("a" + fn.Symbol + "b")
			if tree.Err != nil || tree.Root.Kind != syntax.Binary || fn.Prec != tree.Root.Precedence() {
				t.Errorf("%s: the language has %s, %+v, of precedence %d, want %d", fn.Symbol, tree.Root, tree.Err, tree.Root.Precedence(), fn.Prec)
			}
		}
	}
}
