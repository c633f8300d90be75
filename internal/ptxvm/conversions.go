package ptxvm

// addConversions adds cvt. Those that may be inexact name their rounding.
func (t table) addConversions() {
	var integers []kind
	for _, size := range []int{8, 16, 32, 64} {
		integers = append(integers, kind{'u', size}, kind{'s', size})
	}
	for _, from := range integers {
		for _, to := range integers {
			if from != to {
				t.addCast(to, from)
			}
		}
	}

	for i := range roundings {
		r := &roundings[i]
		for _, k := range integers {
			t.addFromInteger(r, k)
			t.addToInteger(r, k)
		}
		t.addToFloat(r)
	}

	half := kind{'f', 16}
	t.addConversion("", double, single, func(a uint64) uint64 { return bits64(float64(f32(a))) })
	t.addConversion("", single, half, func(a uint64) uint64 { return bits32(float32(fromHalf(a))) })
	t.addConversion("", double, half, func(a uint64) uint64 { return bits64(fromHalf(a)) })
}

// addConversion adds a conversion with the modifier of a rounding, or with none.
func (t table) addConversion(rounding string, to, from kind, f func(a uint64) uint64) {
	name := "cvt." + to.String() + "." + from.String()
	if rounding != "" {
		name = "cvt." + rounding + "." + to.String() + "." + from.String()
	}
	t.add(name, map1(f), to, from)
	t[name].parse = parseConversion
}

// parseConversion reads registers that may have more bits than the numbers they hold. A result is
// extended to those of its register, by its sign if it has one.
func parseConversion(b *body, in *instr) {
	in.dst = []int{b.result(in.op.result, true)}
	b.want(",")
	in.args = []int{b.use(in.op.operands[0], true)}

	compute, mask := in.compute, b.registers[in.dst[0]].mask()
	if in.op.result.isInteger() {
		in.compute = func(d, a, _, _ *lanes) {
			compute(d, a, nil, nil)
			for i := range d {
				d[i] &= mask
			}
		}
	}
}

// extend returns the bits of a number of kind k with those above them.
func extend(a uint64, k kind) uint64 {
	if k.class == 's' {
		return uint64(signed(a, k.bits))
	}
	return a & k.mask()
}

// addCast adds a conversion between integers.
func (t table) addCast(to, from kind) {
	t.addConversion("", to, from, func(a uint64) uint64 { return extend(extend(a, from), to) })
}

// addFromInteger adds conversions to floats.
func (t table) addFromInteger(r *rounding, from kind) {
	t.addConversion(r.float, single, from, func(a uint64) uint64 { return bits32(float32(r.ofInteger(a, from, 24))) })
	t.addConversion(r.float, double, from, func(a uint64) uint64 { return bits64(r.ofInteger(a, from, 53)) })
}

// addToInteger adds conversions of floats. NaN is not what it is in Go.
func (t table) addToInteger(r *rounding, to kind) {
	t.addConversion(r.whole, to, single, func(a uint64) uint64 {
		return extend(r.integer(float64(f32(a)), to, to.bits == 64), to)
	})
	t.addConversion(r.whole, to, double, func(a uint64) uint64 { return extend(r.integer(f64(a), to, true), to) })
}

// addToFloat adds conversions to floats with fewer bits, and to whole numbers.
func (t table) addToFloat(r *rounding) {
	half := kind{'f', 16}
	t.addConversion(r.float, single, double, func(a uint64) uint64 { return bits32(r.single(f64(a))) })
	t.addConversion(r.float, half, single, func(a uint64) uint64 { return r.half(float64(f32(a))) })
	t.addConversion(r.float, half, double, func(a uint64) uint64 { return r.half(f64(a)) })
	t.addConversion(r.whole, single, single, func(a uint64) uint64 { return bits32(float32(r.round(float64(f32(a))))) })
	t.addConversion(r.whole, double, double, func(a uint64) uint64 { return bits64(r.round(f64(a))) })
}
