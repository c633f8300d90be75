package ptxvm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/internal/ptxvm"
)

// TestLoadRefuses loads texts that an assembler would refuse, or that are not in the tables.
func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ name, globals, code, want string }{
		{"no rounding", "", "add.f32 %f0, %f1, %f2;", `instruction "add.f32" is not in the table`},
		{"flush to zero", "", "add.rn.ftz.f32 %f0, %f1, %f2;", "not in the table"},
		{"minimum of floats", "", "min.f32 %f0, %f1, %f2;", "not in the table"},
		{"approximation", "", "div.approx.f32 %f0, %f1, %f2;", "not in the table"},
		{"function", "", "call f;", "not in the table"},
		{"inexact without rounding", "", "cvt.f32.f64 %f0, %g0;", "not in the table"},
		{"store to const", "", "st.const.f32 [%d0], %f0;", "not in the table"},
		{"vector too wide", "", "ld.global.v4.f64 {%g0, %g1, %g2, %g3}, [%d0];", "not in the table"},
		{"type of a register", "", "add.rn.f32 %f0, %f1, %g2;", "register %g2 is f64, want f32"},
		{"floats are no integers", "", "add.u32 %r0, %f0, %r1;", "register %f0 is f32, want u32"},
		{"size of an address", "", "ld.global.u32 %r0, [%r1];", "register %r1 is b32, want an address"},
		{"unknown register", "", "mov.b32 %r0, %r9;", `no register "%r9"`},
		{"unknown label", "", "bra away;", `no label "away"`},
		{"label of an inner scope", "", "bra in;\n{\nin:\n}", `no label "in"`},
		{"register of an inner scope", "", "{\n.reg .b32 %x;\n}\nmov.b32 %x, 1;", `no register "%x"`},
		{"declared twice", "", ".reg .b32 %r1;\n.reg .b32 %r1;", `"%r1" is declared twice`},
		{"float as a number", "", "mov.f32 %f0, 1.5;", "written by its bits"},
		{"float of another size", "", "mov.f64 %g0, 0f3F800000;", "no literal of type f64"},
		{"number too large", "", "mov.u32 %r0, 4294967296;", "does not fit in u32"},
		{"number too small", "", "mov.s16 %h0, -32769;", "does not fit in s16"},
		{"missing operand", "", "add.u32 %r0, %r1;", `want ",", found ";"`},
		{"extra operand", "", "neg.s32 %r0, %r1, %r2;", `want ";", found ","`},
		{"later target", "", "cp.async.wait_all;", "needs the target sm_80"},
		{"another barrier", "", "bar.sync 1;", `want "0", found "1"`},
		{"barrier under a predicate", "", "@%p bar.sync 0;", "under a predicate"},
		{"unknown parameter", "", "ld.param.u64 %d0, [other];", `no parameter "other"`},
		{"type of a parameter", "", "ld.param.u32 %r0, [in];", `"in" is u64, want u32`},
		{"const in global", ".global .b32 t[1] = {1};", "ld.const.b32 %r0, [t];", `"t" is in .global memory, want .const`},
		{"too many values", ".const .b32 t[1] = {1, 2};", "", "has 2 values, want 1 at most"},
		{"too much const memory", ".const .b8 a[60000];\n.const .b8 b[60000];", "", "want 65536 at most"},
		{"too much shared memory", "", ".shared .b8 a[49153];", "no number from 1 to 49152"},
		{"comment without end", "", "/* ret;", "a comment has no end"},
		{"strange character", "", "mov.b32 %r0, #;", "has no meaning"},
		{"special register of 64 bits", "", "mov.u64 %d0, %tid.x;", "%tid.x is u32, want u64"},
		{"no end", "", "bra on;\non:\n@%p", "want a name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d ptxvm.Device
			p := program{globals: c.globals, code: c.code}
			_, err := d.Load(p.text())
			if c.name == "no end" {
				_, err = d.Load(strings.TrimSuffix(p.text(), "ret;\n}\n"))
				c.want = "the text ends in the middle"
			}
			wantError(t, err, c.want)
		})
	}
}

// TestErrorsNameLines checks that an error says where the text is wrong.
func TestErrorsNameLines(t *testing.T) {
	var d ptxvm.Device
	_, err := d.Load(".version 7.0\n.target sm_70\n.address_size 64\n/* two\nlines */ // and more\n.visible .entry k()\n{\n\tnonsense;\n}\n")
	wantError(t, err, "line 8: ")
}

// FuzzLoad checks that no text makes Load panic.
func FuzzLoad(f *testing.F) {
	f.Add(doubled)
	f.Add((&program{globals: ".const .align 8 .f64 t[2] = {0d3FF0000000000000};", code: "{\n.reg .b32 %x<3>;\nl: mov.b64 {%x1, %x2}, %d0;\n@!%p bra l;\n}"}).text())
	f.Fuzz(func(t *testing.T, text string) {
		var d ptxvm.Device
		if m, err := d.Load(text); err == nil {
			m.Unload()
		}
	})
}

// TestParameterBytes loads an entry with as many parameters as drivers take, and with one more.
func TestParameterBytes(t *testing.T) {
	var p program
	for extra, want := range map[int]string{510: "", 511: "4104 bytes of parameters"} {
		var all strings.Builder
		for k := range extra {
			fmt.Fprintf(&all, ".param .u64 p%d, ", k)
		}
		var d ptxvm.Device
		if _, err := d.Load(strings.Replace(p.text(), "k(", "k("+all.String(), 1)); want != "" {
			wantError(t, err, want)
		} else if err != nil {
			t.Error(err)
		}
	}
}
