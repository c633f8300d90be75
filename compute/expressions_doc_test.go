package compute

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "write the tables of docs/expressions.md")

// TestFunctionsDocumented holds the tables of docs/expressions.md against the functions there are.
func TestFunctionsDocumented(t *testing.T) {
	const path, begin, end = "../docs/expressions.md", "<!-- functions -->\n", "<!-- end of functions -->"
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
		t.Fatalf("%s does not list the functions as they are: run go test ./compute -run %s -update-docs", path, t.Name())
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
			theFunctions()
			name := "`" + fn.signature() + "`"
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
	for name, fn := range theFunctions().byName {
		switch {
		case fn.doc == "" || fn.bind == nil || len(fn.parsed) == 0:
			t.Errorf("%s is not complete", name)
		case later[name]:
			t.Errorf("%s is there, and is not to be", name)
		}
		optional := false
		for _, p := range fn.parsed {
			if optional && !p.optional {
				t.Errorf("%s: %s comes after what can be left out", name, p.name)
			}
			optional = p.optional
		}
	}
}
