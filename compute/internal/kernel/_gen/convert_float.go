package main

// fromFloats lists the conversions of floats to integers, as x86-64 makes them: to int32 or int64,
// of which narrower types take the low bits, and their least value where that is out of range.
func fromFloats(k *asm) []conversion {
	int32s := by(func(c converter, a value) value { return c.to(4, c.VCVTTPS2DQ, a) })
	int32sOfDoubles := by(func(c converter, a value) value {
		if c.wide() {
			return c.to(4, c.VCVTTPD2DQ, a)
		}
		return c.to(4, c.VCVTTPD2DQY, a)
	})

	all := []conversion{{"Float32", "Int32", 4, int32s}, {"Float64", "Int32", 8, int32sOfDoubles}}
	for _, size := range []int{1, 2} {
		all = append(all,
			conversion{"Float32", intType(size, true), 4, then(int32s, narrowInteger(4, size))},
			conversion{"Float64", intType(size, true), 8, then(int32sOfDoubles, narrowInteger(4, size))},
		)
	}

	if !k.wide() {
		return all
	}

	int64s := by(func(c converter, a value) value { return c.to(8, c.VCVTTPS2QQ, a) })
	int64sOfDoubles := by(func(c converter, a value) value { return c.to(8, c.VCVTTPD2QQ, a) })

	return append(all,
		conversion{"Float32", "Int64", 8, int64s},
		conversion{"Float64", "Int64", 8, int64sOfDoubles},
		conversion{"Float32", "Uint32", 8, then(int64s, narrowInteger(8, 4))},
		conversion{"Float64", "Uint32", 8, then(int64sOfDoubles, narrowInteger(8, 4))},
	)
}
