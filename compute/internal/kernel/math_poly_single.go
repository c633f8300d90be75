package kernel

// The tables below are those of math_poly.go for float32s.
var (
	// exp(r) = 1 + r + r²·p(r) for |r| ≤ ln 2/2: 2^-28.2.
	expPolySingle = [...]float32{0x1.fffffcp-2, 0x1.55549p-3, 0x1.5558ap-5, 0x1.123ac8p-7, 0x1.6a604ap-10}

	// The same for expm1, whose results may be less than r²: 2^-32.8.
	expm1PolySingle = [...]float32{0x1p-1, 0x1.555552p-3, 0x1.5554e4p-5, 0x1.1115b6p-7, 0x1.6d516p-10, 0x1.9a94aap-13}

	// 2^r = 1 + r·p(r) for |r| ≤ 1/2: 2^-28.0.
	exp2PolySingle = [...]float32{
		0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af74p-5, 0x1.3b3096p-7, 0x1.5f0ca8p-10, 0x1.3fad5ep-13,
	}

	// log(1+f) = f + f²·p(f) for √½-1 ≤ f ≤ √2-1: 2^-27.8; log2(1+f) = f/ln 2 + f²·p(f): 2^-27.7.
	logPolySingle = [...]float32{
		-0x1.fffff8p-2, 0x1.55555p-2, -0x1.000432p-2, 0x1.99a41ap-3, -0x1.5425c4p-3, 0x1.226dfcp-3, -0x1.0f3fa6p-3,
		0x1.0860cep-3, -0x1.38472ap-4,
	}
	log2PolySingle = [...]float32{
		-0x1.71547p-1, 0x1.ec7094p-2, -0x1.715ac8p-2, 0x1.277ef4p-2, -0x1.eab182p-3, 0x1.a2e684p-3, -0x1.877ae4p-3,
		0x1.7e0e22p-3, -0x1.c36726p-4,
	}

	log10PolySingle = [...]float32{ // log10(1+f) = f/ln 10 + f²·p(f): 2^-27.7
		-0x1.bcb7aap-3, 0x1.287a72p-3, -0x1.bcbf2ap-4, 0x1.63cf38p-4, -0x1.276f44p-4, 0x1.f88526p-5, -0x1.d76478p-5,
		0x1.cb62ep-5, -0x1.0efa9cp-5,
	}

	// tanh(middle + d) = head + d·p(d) where bits 21 to 24 of |x| + tanhShift32 are the index, for
	// |x| ≤ tanhMax32: at most 2^-28.1. The table is sorted by that index, and each row of
	// tanhPolySingle holds one coefficient. The middles are such that their tanh is nearly a
	// float32. Where x is around 0, for index 9, tanh(x) = x + x·p(x).
	tanhMiddle32 = [16]float32{
		0x1.a1b22ep0, 0x1.0f1688p1, 0x1.51872cp1, 0x1.8e9db2p1, 0x1.f1581p1, 0x1.378b44p2, 0x1.775e36p2,
		0x1.b6f7cep2, 0x1.0a2a3ep3, 0, 0x1.7b74bcp-3, 0x1.403958p-2, 0x1.008312p-1, 0x1.81eb86p-1, 0x1.fe6e98p-1,
		0x1.3fb02p0,
	}
	tanhHead32 = [16]float32{
		0x1.da4308p-1, 0x1.f16526p-1, 0x1.fac7b2p-1, 0x1.fdfbe6p-1, 0x1.ff917ap-1, 0x1.fff08p-1, 0x1.fffde4p-1,
		0x1.ffffb6p-1, 0x1.fffffcp-1, 0, 0x1.772c34p-3, 0x1.362dap-2, 0x1.da034ep-2, 0x1.4656c8p-1, 0x1.8546b2p-1,
		0x1.b22564p-1,
	}
	tanhPolySingle = [6][16]float32{
		{
			0x1.22c76p-3, 0x1.ccb0dp-5, 0x1.4c5f8ap-6, 0x1.018af4p-7, 0x1.b9ea76p-10, 0x1.effb3cp-13, 0x1.0e00cp-15,
			0x1.2800bcp-18, 0x1.003f4cp-22, 0, 0x1.eed16cp-1, 0x1.d105bp-1, 0x1.9249f8p-1, 0x1.2fff6ep-1, 0x1.b01014p-2,
			0x1.1fbd34p-2,
		},
		{
			-0x1.0d589p-3, -0x1.bf8caap-5, -0x1.48fc1p-6, -0x1.00874ep-7, -0x1.b98c72p-10, -0x1.efe9dp-13,
			-0x1.0dfda4p-15, -0x1.28146ep-18, -0x1.006bc8p-22, -0x1.518b76p-25, -0x1.6a9506p-3, -0x1.19b7c6p-2,
			-0x1.74711ep-2, -0x1.838662p-2, -0x1.487fe4p-2, -0x1.e7f8b6p-3,
		},
		{
			0x1.312c78p-4, 0x1.193a6ap-5, 0x1.adabbp-7, 0x1.5353cep-8, 0x1.2592e8p-10, 0x1.4a2ea4p-13, 0x1.679d08p-16,
			0x1.8a7f32p-19, 0x1.51257ep-23, -0x1.55542ap-2, -0x1.28ac68p-2, -0x1.c167fp-3, -0x1.7f287ep-4, 0x1.62b18p-5,
			0x1.a6f2e6p-4, 0x1.bbe2d8p-4,
		},
		{
			-0x1.9c93eep-6, -0x1.f011f8p-7, -0x1.9beb6cp-8, -0x1.4e0364p-9, -0x1.2464dcp-11, -0x1.4a42d4p-14,
			-0x1.67f4e6p-17, -0x1.88356ep-20, -0x1.4fd332p-24, -0x1.594eap-13, 0x1.caaf6ep-4, 0x1.434602p-3,
			0x1.51095ep-3, 0x1.93da1p-4, 0x1.d1e1e6p-6, -0x1.993e08p-7,
		},
		{
			0x1.5b39ep-10, 0x1.257962p-8, 0x1.2efd52p-9, 0x1.04b19cp-10, 0x1.e40c5cp-13, 0x1.1327acp-15, 0x1.2beb9cp-18,
			0x1.45b57ap-21, 0x1.3a1c14p-25, 0x1.168294p-3, 0x1.927e5p-4, 0x1.95843ap-5, -0x1.b9aedep-6, -0x1.050808p-4,
			-0x1.7d371p-5, -0x1.3ca962p-6,
		},
		{
			0x1.14f6e8p-8, -0x1.16409p-11, -0x1.4d8c28p-11, -0x1.3e74bep-12, -0x1.4377aep-14, -0x1.685564p-17,
			-0x1.86dd56p-20, -0x1.d3872ap-23, -0x1.a97ca2p-27, -0x1.40481ap-6, -0x1.5d4bbcp-5, -0x1.ee3b1ap-7,
			-0x1.a52c12p-5, -0x1.7381eep-9, 0x1.2bbe14p-6, 0x1.04347cp-6,
		},
	}
)
