package ptx

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// room returns registers for the elements of an operand.
func (c *compiler) room(t dtype.Type) []value {
	elements := make([]value, c.perThread)
	for i := range elements {
		elements[i] = value{typ: t, loose: t == dtype.Bool}
		for range t.Size() / t.Part().Size() {
			elements[i].registers = append(elements[i].registers, c.register(registerType(t)))
		}
	}
	return elements
}

// memoryType is the type of loads and stores of the parts of t. Loads extend them.
func memoryType(t dtype.Type) string {
	part := t.Part()
	if part.Size() >= 4 {
		return registerType(t)
	}
	if part.Kind() == dtype.KindInt {
		return "s" + strconv.Itoa(8*part.Size())
	}
	return "u" + strconv.Itoa(8*part.Size())
}

// flat returns the registers of some elements.
func flat(elements []value) (registers []string) {
	for _, v := range elements {
		registers = append(registers, v.registers...)
	}
	return registers
}

// vectorOf returns the modifier and the operand of a load or store of some registers.
func vectorOf(registers []string) (modifier, operand string) {
	if len(registers) == 1 {
		return "", registers[0]
	}
	return ".v" + strconv.Itoa(len(registers)), "{" + strings.Join(registers, ", ") + "}"
}

// loadVector loads all elements of a thread at once. Those of 1 or 2 bytes are taken out of words.
func (c *compiler) loadVector(t dtype.Type, address string, elements []value) {
	part := t.Part()
	if part.Size() >= 4 || len(elements)*t.Size() < 4 && len(elements) == 1 {
		modifier, operand := vectorOf(flat(elements))
		c.line("ld.global%s.%s %s, [%s]", modifier, memoryType(t), operand, address)
		return
	}

	var words []string
	for range max(len(elements)*t.Size()/4, 1) {
		words = append(words, c.register("b32"))
	}
	modifier, operand := vectorOf(words)
	typ := "b32"
	if len(elements)*t.Size() == 2 {
		typ = "u16"
	}
	c.line("ld.global%s.%s %s, [%s]", modifier, typ, operand, address)

	field := "bfe." + numberType(t)
	for i, v := range elements {
		at := i * t.Size()
		c.set(v.one(), field, words[at/4], strconv.Itoa(8*(at%4)), strconv.Itoa(8*t.Size()))
	}
}

// partAddress is where a part of an element is: at an address of its own, or behind the first one.
func partAddress(t dtype.Type, addresses []string, i, part int) string {
	at := part * t.Part().Size()
	if len(addresses) > 1 {
		return fmt.Sprintf("%s+%d", addresses[i], at)
	}
	return fmt.Sprintf("%s+%d", addresses[0], i*t.Size()+at)
}

// loadEach loads the elements that there are. The others are 0.
func (c *compiler) loadEach(t dtype.Type, addresses []string, elements []value) {
	for i, v := range elements {
		for part, r := range v.registers {
			zero := "0"
			if typ := registerType(t); typ[0] == 'f' {
				zero = number(typ, 0)
			}
			c.set(r, "mov."+registerType(t), zero)
			c.line("@%s ld.global.%s %s, [%s]", c.inside[i], memoryType(t), r, partAddress(t, addresses, i, part))
		}
	}
}

// stored returns v as it is in memory: a bool is a byte.
func (c *compiler) stored(v value) value {
	if v.typ == dtype.Bool {
		return value{typ: v.typ, registers: []string{c.byteOf(v)}, loose: true}
	}
	return v
}

// storeVector stores all elements of a thread at once. Those of 1 or 2 bytes are put in words.
func (c *compiler) storeVector(t dtype.Type, address string, elements []value) {
	var registers []string
	for _, v := range elements {
		registers = append(registers, c.stored(v).registers...)
	}
	typ := memoryType(t)
	for size := t.Part().Size(); size < 4 && len(registers) > 1; size *= 2 {
		registers = c.pairs(registers, size)
		typ = []string{1: "u16", 2: "b32"}[size]
	}
	modifier, operand := vectorOf(registers)
	c.line("st.global%s.%s [%s], %s", modifier, typ, address, operand)
}

// pairs puts numbers of 1 or 2 bytes together, two in each register.
func (c *compiler) pairs(registers []string, size int) (together []string) {
	bytes := []string{1: "0x0040", 2: "0x5410"}[size]
	for i := 0; i < len(registers); i += 2 {
		together = append(together, c.emit("b32", "prmt.b32", registers[i], registers[i+1], bytes))
	}
	return together
}

// storeEach stores the elements that there are.
func (c *compiler) storeEach(t dtype.Type, addresses []string, elements []value) {
	for i, v := range elements {
		for part, r := range c.stored(v).registers {
			c.line("@%s st.global.%s [%s], %s", c.inside[i], memoryType(t), partAddress(t, addresses, i, part), r)
		}
	}
}

// fromWords returns a scalar from the 8 bytes that its parameters have.
func (c *compiler) fromWords(t dtype.Type, words []string) value {
	v := value{typ: t, loose: t == dtype.Bool}
	switch typ := registerType(t); {
	case t == dtype.Complex64:
		lo, hi := c.register("b32"), c.register("b32")
		c.line("mov.b64 {%s, %s}, %s", lo, hi, words[0])
		v.registers = []string{c.emit("f32", "mov.b32", lo), c.emit("f32", "mov.b32", hi)}
	case typ == "f64":
		for _, w := range words {
			v.registers = append(v.registers, c.emit("f64", "mov.b64", w))
		}
	case typ == "b64":
		v.registers = words
	case typ == "f32":
		v.registers = []string{c.emit("f32", "mov.b32", c.emit("b32", "cvt.u32.u64", words[0]))}
	default:
		v.registers = []string{c.wrap(t, c.emit("b32", "cvt.u32.u64", words[0]))}
	}
	return v
}

// wrap cuts an integer of 8 or 16 bits to them, and extends it to those of its register.
func (e *emitter) wrap(t dtype.Type, register string) string {
	if t.Size() >= 4 {
		return register
	}
	class := numberType(t)[:1]
	return e.emit("b32", fmt.Sprintf("cvt.%s32.%s%d", class, class, 8*t.Size()), register)
}
