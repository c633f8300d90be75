package ptxvm

// addComparisons adds what makes predicates.
func (t table) addComparisons() {
	for _, size := range []int{16, 32, 64} {
		t.addOrder(kind{'u', size}, func(a, b uint64) int { return order(a, b) })
		t.addOrder(kind{'s', size}, func(a, b uint64) int { return order(signed(a, size), signed(b, size)) })
		for _, op := range []string{"eq", "ne"} {
			t.addComparison(op, kind{'b', size}, t["setp."+op+"."+kind{'u', size}.String()].compute)
		}
	}
	t.addFloatOrder(single, func(a, b uint64) int { return orderFloats(float64(f32(a)), float64(f32(b))) })
	t.addFloatOrder(double, func(a, b uint64) int { return orderFloats(f64(a), f64(b)) })
}

// How two numbers are to each other: bits, of which one is set.
const (
	isLess = 1 << iota
	isEqual
	isGreater
	isUnordered // one is NaN
)

// orders holds the bits that make comparisons true.
var orders = map[string]int{
	"eq": isEqual, "ne": isLess | isGreater,
	"lt": isLess, "le": isLess | isEqual, "gt": isGreater, "ge": isGreater | isEqual,
}

func order[T uint64 | int64](a, b T) int {
	switch {
	case a < b:
		return isLess
	case a > b:
		return isGreater
	}
	return isEqual
}

func orderFloats(a, b float64) int {
	switch {
	case a < b:
		return isLess
	case a > b:
		return isGreater
	case a == b:
		return isEqual
	}
	return isUnordered
}

func (t table) addComparison(op string, k kind, f alu) {
	t.add("setp."+op+"."+k.String(), f, predicate, k, k)
}

func (t table) addOrder(k kind, order func(a, b uint64) int) {
	for op, truth := range orders {
		t.addComparison(op, k, map2(func(a, b uint64) uint64 { return bit(order(a, b)&truth != 0) }))
	}
}

// addFloatOrder adds also the comparisons that are true of NaN, whose names end in u.
func (t table) addFloatOrder(k kind, order func(a, b uint64) int) {
	t.addOrder(k, order)
	for op, truth := range orders {
		truth |= isUnordered
		t.addComparison(op+"u", k, map2(func(a, b uint64) uint64 { return bit(order(a, b)&truth != 0) }))
	}
	t.addComparison("nan", k, map2(func(a, b uint64) uint64 { return bit(order(a, b) == isUnordered) }))
	t.addComparison("num", k, map2(func(a, b uint64) uint64 { return bit(order(a, b) != isUnordered) }))
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
