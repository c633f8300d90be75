package jit

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/encodings.txt again, by objdump")

// allInstructions lists every instruction, once.
func allInstructions() []*instruction {
	var all []*instruction
	for _, p := range []*pair{
		&addFloat, &mulFloat, &subFloat, &minFloat, &divFloat, &maxFloat, &sqrtFloat, &scale, &exponent, &mantissa, &round, &cmpFloat,
		&muladd, &mulsub, &nmuladd, &addInt, &subInt, &mulInt, &minSigned, &minUnsigned, &maxSigned, &maxUnsigned, &absInt, &and, &andNot, &or, &xor,
		&shiftLeft, &shiftRight, &shiftSigned, &shiftLeftBy, &shiftDownBy, &cmpSigned, &cmpUnsigned, &signs, &choose, &keep,
	} {
		all = append(all, &p.words, &p.longs)
	}
	return append(all, &repeatByte, &repeatShort, &repeatWord, &repeatLong, &testBytes, &maskBytes, &absBytes, &permute, &widenFloat, &narrowFloat, &truncateFloat, &widenHalf, &narrowHalf, &widenInt, &widenUint,
		&narrowInt, &widenByte, &widenUbyte, &widenShort, &widenUshort, &narrowByte, &narrowShort, &intFloat, &uintFloat, &intDouble, &uintDouble,
		&longFloat, &ulongFloat, &longDouble, &ulongDouble, &floatInt, &floatLong, &doubleInt, &doubleLong,
		&andMasks, &andNotMasks, &orMasks, &sameMasks, &xorMasks, &notMask)
}

// An encoded is an instruction with its bytes.
type encoded struct {
	name string // how its text begins
	code []byte
}

// encodings returns the instructions of emit.go with low and high registers, and what loops are made of.
func encodings() []encoded {
	var all []encoded
	add := func(name string, write func(e *emitter)) {
		e := &emitter{lanes: 16}
		write(e)
		all = append(all, encoded{name, e.code})
	}
	for _, do := range allInstructions() {
		for _, r := range [][4]int{{0, 1, 2, 3}, {9, 19, 30, 12}, {31, 8, 17, 25}} {
			add(do.name, func(e *emitter) { e.sample(do, r, false) })
			if do.element > 0 && do.form != formKeep {
				add(do.name, func(e *emitter) { e.sample(do, r, true) })
			}
		}
	}
	for _, size := range []int{1, 2, 4, 8} {
		move := moveBySize[size]
		p := place{memory: true, base: 13, index: rcx, scale: 4, disp: 256}
		add("vmov", func(e *emitter) { e.evex(move.load, 64, 20, 0, p, masking{}) })
		add("vmov", func(e *emitter) { e.evex(move.load, 32, 5, 0, p, masking{laneMask, true}) })
		add("vmov", func(e *emitter) { e.evex(move.store, 16, 11, 0, p, masking{mask: laneMask}) })
	}
	add("vmovq", func(e *emitter) {
		e.evex(loadEight, 16, 18, 0, place{memory: true, base: 8, index: rcx, scale: 1}, masking{})
	})
	add("vmovq", func(e *emitter) {
		e.evex(storeEight, 16, 3, 0, place{memory: true, base: 15, index: rcx, scale: 2, disp: -8}, masking{})
	})
	add("vmovntps", func(e *emitter) {
		e.evex(stream, 64, 3, 0, place{memory: true, base: 12, index: rcx, scale: 8, disp: 64}, masking{})
	})
	add("vmovaps", func(e *emitter) { e.evex(moveVector, 64, 25, 0, register(30), masking{}) })
	add("kmovq", func(e *emitter) { e.vex(maskOf, false, laneMask, 0, rdx) })
	add("bzhi", func(e *emitter) { e.lowBits(rdx, rdx, rax) })
	add("mov", func(e *emitter) { e.load(13, rdi, 24) })
	add("mov", func(e *emitter) { e.load(rdi, rdi, 0) })
	add("mov", func(e *emitter) { e.move(rax, rsi) })
	add("mov", func(e *emitter) { e.set(rax, 16) })
	add("sub", func(e *emitter) { e.subtract(rax, rcx) })
	add("cmp", func(e *emitter) { e.compare(rcx, rax) })
	for _, op := range []int{0, 1, 5, 7} {
		add([]string{"add", "or", 5: "sub", 7: "cmp"}[op], func(e *emitter) { e.arithmetic(op, rcx, 64) })
	}
	add("jg", func(e *emitter) { e.land(e.jump(greater...), 0) })
	add("jle", func(e *emitter) { e.land(e.jump(notGreater...), 64) })
	add("jmp", func(e *emitter) { e.land(e.jump(always...), 64) })
	add("vzeroupper", func(e *emitter) { e.code = append(e.code, zeroUpper...) })
	add("sfence", func(e *emitter) { e.code = append(e.code, fence...) })
	add("ret", func(e *emitter) { e.immediate(ret) })
	return all
}

// sample writes an instruction with the registers r, its last operand in memory if that is set.
func (e *emitter) sample(do *instruction, r [4]int, memory bool) {
	sizes := [4]int{4, 4, 4, 4}
	if do.makesMask || do.form == formNot {
		sizes[0], r[0] = 0, r[0]&7
	}
	if do.form == formMasks || do.form == formNot {
		sizes = [4]int{}
		r = [4]int{r[0] & 7, r[1] & 7, r[2] & 7}
	}
	if do.form == formChoose || do.form == formKeep || do.takesMask {
		sizes[1], r[1] = 0, 1+r[1]&3
	}
	n := node{do: do, args: unused, number: 0x2a, size: sizes[0]}
	e.plan = &allocation{registers: make([]int, 4)}
	e.nodes = make([]node, 4)
	operands := map[form]int{formUnary: 1, formNarrow: 1, formShift: 1, formNot: 1, formFused: 3, formChoose: 3}[do.form]
	if operands == 0 {
		operands = 2
	}
	for k := range operands {
		n.args[k] = k + 1
		e.nodes[k+1] = node{do: &loadInput, size: sizes[k+1]}
	}
	last := operands
	if do.form == formChoose {
		last = 2
	}
	if do.form == formRepeat {
		n.args = [3]int{last, -1, -1}
	}
	if do.form == formFused { // the three orders
		switch {
		case r[0] == 9:
			r[3], last = r[0], 2
		case r[0] == 31:
			r[1], last = r[0], 2
		default:
			r[1] = r[0]
		}
	}
	if memory || do.form == formKeep || do.form == formRepeat {
		e.nodes[last] = node{do: &scalarInput, number: 5, size: 4}
	}
	e.nodes[0] = n
	for k := range r {
		e.plan.registers[k] = r[k]
		if e.nodes[k].size == 0 && k <= operands {
			e.plan.registers[k] = r[k] - firstMask
		}
	}
	e.node(0, 0)
}

// TestEncodings compares bytes with those of testdata/encodings.txt, which says beside them what they mean, and that with what
// objdump makes of them if it is installed.
func TestEncodings(t *testing.T) {
	path := filepath.Join("testdata", "encodings.txt")
	all := encodings()
	if *update {
		var text bytes.Buffer
		for i, meaning := range disassemble(t, all) {
			fmt.Fprintf(&text, "%x %s\n", all[i].code, meaning)
		}
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	var meanings []string
	for line := range strings.Lines(string(table)) {
		code, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		known[code] = meaning
	}
	for _, e := range all {
		meaning, ok := known[hex.EncodeToString(e.code)]
		if !ok || !strings.HasPrefix(meaning, e.name[:min(len(e.name), 5)]) {
			t.Errorf("%s is %x, which the table calls %q", e.name, e.code, meaning)
		}
		meanings = append(meanings, meaning)
	}
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Log("objdump is not installed: the table alone was compared")
		return
	}
	if diff := cmp.Diff(meanings, disassemble(t, all)); diff != "" {
		t.Errorf("objdump disagrees with the table (-table +objdump):\n%s", diff)
	}
}

var line = regexp.MustCompile(`(?m)^\s+[0-9a-f]+:\t(?:[0-9a-f]{2} )+\s*\t(.*)$`)

// disassemble returns what objdump makes of instructions.
func disassemble(t *testing.T, all []encoded) []string {
	var code []byte
	for _, e := range all {
		code = append(code, e.code...)
	}
	path := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(path, code, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--insn-width=16", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, m := range line.FindAllSubmatch(out, -1) {
		meaning := regexp.MustCompile(`\s+`).ReplaceAllString(strings.TrimSpace(string(m[1])), " ")
		meaning = strings.TrimPrefix(meaning, "{evex} ") // newer versions of objdump say so
		if strings.HasPrefix(meaning, "j") {
			meaning, _, _ = strings.Cut(meaning, " ") // where to depends on where it is
		}
		text = append(text, meaning)
	}
	if len(text) != len(all) {
		t.Fatalf("objdump found %d instructions, want %d", len(text), len(all))
	}
	return text
}
