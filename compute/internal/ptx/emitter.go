package ptx

import (
	"fmt"
	"math"
	"strings"
)

// An emitter collects the instructions of an entry, its registers and the tables it needs.
type emitter struct {
	code   strings.Builder
	counts map[string]int // registers of each type
	labels int
	tables map[Table]bool
}

func newEmitter() *emitter { return &emitter{counts: map[string]int{}, tables: map[Table]bool{}} }

// letters are the names of registers by their types.
var letters = map[string]string{"pred": "p", "b16": "h", "b32": "r", "b64": "q", "f32": "s", "f64": "d"}

// registerTypes is their order in declarations.
var registerTypes = []string{"pred", "b16", "b32", "b64", "f32", "f64"}

// register returns a new register of a type.
func (e *emitter) register(typ string) string {
	n := e.counts[typ]
	e.counts[typ]++
	return fmt.Sprintf("%%%s%d", letters[typ], n)
}

// line adds an instruction.
func (e *emitter) line(format string, args ...any) {
	e.code.WriteByte('\t')
	fmt.Fprintf(&e.code, format, args...)
	e.code.WriteString(";\n")
}

// emit adds an instruction that sets a new register of a type.
func (e *emitter) emit(typ, op string, operands ...string) string {
	r := e.register(typ)
	e.line("%s %s, %s", op, r, strings.Join(operands, ", "))
	return r
}

// set adds an instruction that sets a given register.
func (e *emitter) set(register, op string, operands ...string) {
	e.line("%s %s, %s", op, register, strings.Join(operands, ", "))
}

func (e *emitter) newLabel() string {
	e.labels++
	return fmt.Sprintf("L%d", e.labels)
}

func (e *emitter) mark(label string) { e.code.WriteString(label + ":\n") }

// declarations are those of all registers so far.
func (e *emitter) declarations() string {
	var b strings.Builder
	for _, typ := range registerTypes {
		if n := e.counts[typ]; n > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %%%s<%d>;\n", typ, letters[typ], n)
		}
	}
	return b.String()
}

// call adds a function and returns its results.
func (e *emitter) call(f *Function, args []string) (results []string) {
	for _, t := range f.Tables {
		e.tables[t] = true
	}

	e.code.WriteString("{\n")
	for i, typ := range f.Args {
		fmt.Fprintf(&e.code, "\t.reg .%s %%x%d;\n\tmov.%s %%x%d, %s;\n", typ, i, typ, i, args[i])
	}
	for i, typ := range f.Results {
		fmt.Fprintf(&e.code, "\t.reg .%s %%y%d;\n", typ, i)
	}
	e.code.WriteString(f.Text)
	for i, typ := range f.Results {
		results = append(results, e.emit(typ, "mov."+typ, fmt.Sprintf("%%y%d", i)))
	}
	e.code.WriteString("}\n")
	return results
}

// number is a float of a type, as PTX writes it: by its bits.
func number(typ string, x float64) string {
	if typ == "f32" {
		return fmt.Sprintf("0f%08X", math.Float32bits(float32(x)))
	}
	return fmt.Sprintf("0d%016X", math.Float64bits(x))
}
