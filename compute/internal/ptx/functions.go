package ptx

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"github.com/tstore/tstore/compute/internal/kernel"
)

//go:embed functions.ptx
var functionsText string

// A Function is the translation of a function: a block in braces. Around it, registers are declared:
// of the types Args, as %x0, %x1, …, which it reads, and of the types Results, as %y0, %y1, …, which
// it sets. It looks numbers up in Tables. All names that it declares are its own.
type Function struct {
	Name    string
	Args    []string // types as f32 and b64; integers of 8 and 16 bits are extended to 32
	Results []string
	Tables  []Table
	Text    string
}

// A Table is a variable that code looks numbers up in.
type Table struct {
	Space string // const or global
	Name  string
}

// functions holds all functions by their names.
var functions = sync.OnceValue(func() map[string]*Function {
	all := map[string]*Function{}
	for _, part := range strings.Split(functionsText, "\n// ")[1:] {
		head, text, _ := strings.Cut(part, "\n")
		name, signature, _ := strings.Cut(head, ": ")
		results, args, _ := strings.Cut(signature, " = ")
		f := &Function{Name: name, Results: strings.Fields(results), Text: text}
		for _, word := range strings.Fields(args) {
			if space, name, ok := strings.Cut(word, ":"); ok {
				f.Tables = append(f.Tables, Table{space, name})
			} else {
				f.Args = append(f.Args, word)
			}
		}
		all[name] = f
	}
	return all
})

// Declaration returns the declaration of a table with its values, for the head of a module.
func (t Table) Declaration() string {
	data := kernel.LookupTable(t.Name)
	var b strings.Builder
	fmt.Fprintf(&b, ".%s .align 8 .b64 %s[%d] = {", t.Space, t.Name, len(data)/8)
	for at := 0; at < len(data); at += 8 {
		if at > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%#x", binary.LittleEndian.Uint64(data[at:]))
	}
	b.WriteString("};\n")
	return b.String()
}
