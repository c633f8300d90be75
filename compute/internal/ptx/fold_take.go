package ptx

import (
	"strconv"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// sumAddresses emits where a thread has its accumulators, those of a lane.
func (c *compiler) sumAddresses(folds []*fold, lane string) {
	for _, f := range folds {
		k, number := strconv.Itoa(f.number), c.emit("b64", "add.u64", f.first, lane)
		at := func(param string, size int) string {
			base := c.emit("b64", "add.u64", c.emit("b64", "ld.param.b64", "["+param+k+"]"), strconv.Itoa(f.part*size))
			return c.emit("b64", "mad.lo.u64", number, strconv.Itoa(f.parts*size), base)
		}
		f.sumAt = at("sums", f.acc.Size())
		if f.op.Compensated(f.typ) {
			f.lostAt = at("lost", 8)
		}
	}
}

// loadSums loads the accumulators of a thread, as far as it has some: those of a lane.
func (c *compiler) loadSums(folds []*fold, lane string) {
	wide := c.emit("b64", "cvt.u64.u32", lane)
	c.sumAddresses(folds, wide)
	for _, f := range folds {
		f.takes = c.emit("pred", "setp.lt.u64", wide, f.lanes)
		f.sum = c.register(registerType(f.acc))
		c.line("@%s ld.global.%s %s, [%s]", f.takes, memoryType(f.acc), f.sum, f.sumAt)
		if f.lostAt != "" {
			f.lost = c.register("f64")
			c.line("@%s ld.global.f64 %s, [%s]", f.takes, f.lost, f.lostAt)
		}
	}
}

func (c *compiler) storeSums(folds []*fold) {
	for _, f := range folds {
		c.line("@%s st.global.%s [%s], %s", f.takes, memoryType(f.acc), f.sumAt, f.sum)
		if f.lost != "" {
			c.line("@%s st.global.f64 [%s], %s", f.takes, f.lostAt, f.lost)
		}
	}
}

// take emits what a fold does with an element.
func (c *compiler) take(f *fold, x value) {
	typ, num := registerType(f.acc), numberType(f.acc)
	if f.op >= kernel.FoldMin {
		c.set(f.sum, "mov."+typ, c.foldExtreme(f, x.one()))
		return
	}

	// Products of bools are those of their bytes, sums count those that are not 0.
	if f.typ == dtype.Bool && f.op == kernel.FoldProd {
		x = of(dtype.Uint8, x.one())
	}
	wide := c.convert(x, f.acc).one()
	switch {
	case f.op == kernel.FoldProd && typ == "f64":
		c.set(f.sum, "mul.rn.f64", f.sum, wide)
	case f.op == kernel.FoldProd:
		c.set(f.sum, "mul.lo."+num, f.sum, wide)
	case typ != "f64":
		c.set(f.sum, "add."+num, f.sum, wide)
	default:
		if f.op == kernel.FoldSumSquares {
			wide = c.emit("f64", "mul.rn.f64", wide, wide)
		}
		c.addFloat(f, wide)
	}
}

// addFloat adds x to a sum. Where what rounding loses is kept, it is found by Knuth's TwoSum.
func (c *compiler) addFloat(f *fold, x string) {
	if f.lost == "" {
		c.set(f.sum, "add.rn.f64", f.sum, x)
		return
	}
	sum := c.emit("f64", "add.rn.f64", f.sum, x)
	b := c.emit("f64", "sub.rn.f64", sum, f.sum)
	left := c.emit("f64", "sub.rn.f64", f.sum, c.emit("f64", "sub.rn.f64", sum, b))
	lost := c.emit("f64", "add.rn.f64", left, c.emit("f64", "sub.rn.f64", x, b))
	c.set(f.lost, "add.rn.f64", f.lost, lost)
	c.set(f.sum, "mov.f64", sum)
}

// foldExtreme emits the less or the greater of an element and the accumulator. Of floats, FMin and
// FMax keep a number before NaN, Min and Max the first NaN.
func (c *compiler) foldExtreme(f *fold, x string) string {
	t := f.typ
	if t == dtype.Bool { // of the bytes
		t = dtype.Uint8
	}
	typ, num := registerType(t), numberType(t)
	least := f.op == kernel.FoldMin || f.op == kernel.FoldFMin
	name, comparison := "max.", "gt"
	if least {
		name, comparison = "min.", "lt"
	}
	switch {
	case t.Kind() != dtype.KindFloat:
		return c.emit(typ, name+num, x, f.sum)
	case f.op == kernel.FoldMin || f.op == kernel.FoldMax:
		return c.extreme(comparison, typ, x, f.sum, x)
	}
	return c.extreme(comparison, typ, x, f.sum, f.sum)
}
