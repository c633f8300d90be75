package ptxcase

import (
	"fmt"
	"strings"
)

// slot is how many bytes a thread loads from or stores to.
const slot = 16

// module returns the text of a module. %at is the number of the row.
func (c *Case) module(globals, code string) string {
	return fmt.Sprintf(`.version 7.0
.target sm_%d
.address_size 64
%s
.visible .entry %s(.param .b64 in, .param .b64 out)
.maxntid %d
{
	.reg .pred %%p<4>;
	.reg .b16 %%h<4>;
	.reg .b32 %%r<4>, %%t, %%n, %%b;
	.reg .b64 %%q<4>, %%w<4>, %%in, %%out, %%at, %%mine, %%table;
	.reg .f32 %%s<4>;
	.reg .f64 %%d<4>;
	ld.param.b64 %%in, [in];
	ld.param.b64 %%out, [out];
	mov.u32 %%b, %%ctaid.x;
	mov.u32 %%n, %%ntid.x;
	mov.u32 %%t, %%tid.x;
	mad.lo.u32 %%t, %%b, %%n, %%t;
	cvt.u64.u32 %%at, %%t;
%s	ret;
}
`, c.Target, globals, Entry, BlockThreads, code)
}

// A writer collects lines of code.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, "\t"+format+";\n", args...) }

// registerOf returns register k that holds a type.
func registerOf(typ string, k int) string {
	letter := ""
	switch {
	case typ == "pred":
		letter = "p"
	case typ == "f32":
		letter = "s"
	case typ == "f64":
		letter = "d"
	case strings.HasSuffix(typ, "16"):
		letter = "h"
	case strings.HasSuffix(typ, "64"):
		letter = "q"
	default:
		letter = "r"
	}
	return fmt.Sprintf("%%%s%d", letter, k)
}

// compute returns the module of an instruction that computes. Each operand and each result is a
// word of 64 bits in memory.
func (c *Case) compute() string {
	var w writer
	operands := len(c.Operands)
	w.line("mad.lo.u64 %%in, %%at, %d, %%in", 8*operands)
	w.line("mad.lo.u64 %%out, %%at, 8, %%out")
	names := []string{registerOf(c.Result, 0)}
	for k, typ := range c.Operands {
		r := registerOf(typ, k+1)
		names = append(names, r)
		w.line("ld.global.b64 %%w%d, [%%in+%d]", k, 8*k)
		switch r[1] {
		case 'p':
			w.line("setp.ne.u64 %s, %%w%d, 0", r, k)
		case 'h':
			w.line("cvt.u16.u64 %s, %%w%d", r, k)
		case 'r':
			w.line("cvt.u32.u64 %s, %%w%d", r, k)
		case 's':
			w.line("cvt.u32.u64 %%r0, %%w%d", k)
			w.line("mov.b32 %s, %%r0", r)
		case 'd', 'q':
			w.line("mov.b64 %s, %%w%d", r, k)
		}
	}

	w.line("%s %s", c.Name, strings.Join(names, ", "))
	switch r := names[0]; r[1] {
	case 'p':
		w.line("selp.b64 %%w0, 1, 0, %s", r)
	case 'h':
		w.line("cvt.u64.u16 %%w0, %s", r)
	case 'r':
		w.line("cvt.u64.u32 %%w0, %s", r)
	case 's':
		w.line("mov.b32 %%r0, %s", r)
		w.line("cvt.u64.u32 %%w0, %%r0")
	case 'd', 'q':
		w.line("mov.b64 %%w0, %s", r)
	}
	w.line("st.global.b64 [%%out], %%w0")
	return c.module("", w.String())
}

// wide returns the largest register that an element may be in, and its type.
func (c *Case) wide(k int) (register, typ string) {
	if strings.HasPrefix(c.Result, "f") {
		return registerOf(c.Result, k), c.Result
	}
	return registerOf("b64", k), "b64"
}

// registers returns those that are loaded or stored.
func (c *Case) registers() string {
	var all []string
	for k := range c.Elems {
		r, _ := c.wide(k)
		all = append(all, r)
	}
	if len(all) == 1 {
		return all[0]
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// sharedSlots declares a slot for each thread.
var sharedSlots = fmt.Sprintf("\t.shared .align 16 .b8 slots[%d];\n\tmov.b64 %%table, slots;\n", slot*BlockThreads)

// load returns the module of a load. The threads load from the operands, or from what has been made
// of them in another space, and store each element as a word of 64 bits.
func (c *Case) load(words []uint64) string {
	var w writer
	globals := ""
	w.line("mad.lo.u64 %%mine, %%at, %d, %%in", slot)
	switch c.Space {
	case ".shared":
		w.WriteString(sharedSlots)
		w.line("ld.global.v2.b64 {%%w0, %%w1}, [%%mine]")
		w.line("mad.lo.u64 %%mine, %%at, %d, %%table", slot)
		w.line("st.shared.v2.b64 [%%mine], {%%w0, %%w1}")
	case ".const":
		var values []string
		for _, v := range words {
			values = append(values, fmt.Sprint(v))
		}
		globals = fmt.Sprintf(".const .align 16 .b64 table[%d] = {%s};\n", len(words), strings.Join(values, ", "))
		w.line("mov.b64 %%table, table")
		w.line("mad.lo.u64 %%mine, %%at, %d, %%table", slot)
	}

	w.line("%s %s, [%%mine]", c.Name, c.registers())
	w.line("mad.lo.u64 %%out, %%at, %d, %%out", 8*c.Elems)
	for k := range c.Elems {
		r, typ := c.wide(k)
		if typ == "f32" {
			w.line("mov.b32 %%r0, %s", r)
			w.line("cvt.u64.u32 %%w0, %%r0")
			r, typ = "%w0", "b64"
		}
		w.line("st.global.%s [%%out+%d], %s", typ, 8*k, r)
	}
	return c.module(globals, w.String())
}

// store returns the module of a store. Each operand is a word of 64 bits. What a thread stores to is
// 0 before.
func (c *Case) store() string {
	var w writer
	w.line("mad.lo.u64 %%in, %%at, %d, %%in", 8*c.Elems)
	w.line("mad.lo.u64 %%out, %%at, %d, %%out", slot)
	for k := range c.Elems {
		r, typ := c.wide(k)
		w.line("ld.global.%s %s, [%%in+%d]", typ, r, 8*k)
	}

	w.line("mov.b64 %%w0, 0")
	if c.Space == ".shared" {
		w.WriteString(sharedSlots)
		w.line("mad.lo.u64 %%mine, %%at, %d, %%table", slot)
		w.line("st.shared.v2.b64 [%%mine], {%%w0, %%w0}")
		w.line("%s [%%mine], %s", c.Name, c.registers())
		w.line("ld.shared.v2.b64 {%%w0, %%w1}, [%%mine]")
		w.line("st.global.v2.b64 [%%out], {%%w0, %%w1}")
	} else {
		w.line("st.global.v2.b64 [%%out], {%%w0, %%w0}")
		w.line("%s [%%out], %s", c.Name, c.registers())
	}
	return c.module("", w.String())
}
