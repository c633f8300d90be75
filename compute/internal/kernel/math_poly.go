package kernel

import "math"

// The tables below are polynomials in the order of their powers, made by
// testdata/coefficients.sollya, which prints also how near they come. They are variables, not
// constants, since the assembly reads them as well.
var (
	// exp(r) = 1 + r + r²·p(r) for |r| ≤ ln 2/2: relative error 2^-57.8.
	expPoly = [...]float64{
		0x1.000000000000ap-1, 0x1.55555555554fcp-3, 0x1.5555555550688p-5, 0x1.111111112725fp-7, 0x1.6c16c1848904bp-10,
		0x1.a01a012dcb0c3p-13, 0x1.a0199921d1704p-16, 0x1.71df1d1450403p-19, 0x1.28ae3e030198dp-22, 0x1.ad8d590fc30fcp-26,
	}

	// 2^f - 1 = f·p(f) for |f| ≤ 1/2, for float32 results: 2^-26.4.
	exp2Poly32 = [...]float64{
		0x1.62e4302efea5ap-1, 0x1.ebfbdec23d75bp-3, 0x1.c6af6e58146edp-5, 0x1.3b2b9fed35d65p-7, 0x1.5f07dba948bfcp-10,
		0x1.4308fab7d6f52p-13,
	}

	// 2·atanh(s) = 2s + s·z·p(z), z = s², for |s| ≤ 3-√8: 2^-57.6.
	atanhPoly = [...]float64{
		0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df79dfp-2, 0x1.c71c62dbbd736p-3, 0x1.7462b78a4d11fp-3,
		0x1.39fe025e78d95p-3, 0x1.2b5cae0386875p-3,
	}

	// The same with an error of 2^-72; the first coefficient is atanhHead, in two parts.
	atanhTail = [...]float64{
		0x1.9999999999998p-2, 0x1.24924924929e8p-2, 0x1.c71c71c63c213p-3, 0x1.745d17db0a8e3p-3, 0x1.3b13792f8837p-3,
		0x1.111d7375b3987p-3, 0x1.deb303ec7fae5p-4, 0x1.e7104f9d1f88cp-4,
	}
	atanhHead = pair64{0x1.5555555555555p-1, 0x1.55807d8d4599cp-55}

	// log(1+f) = f + f²·p(f) for √½-1 ≤ f ≤ √2-1, for float32 results: 2^-27.8.
	logPoly32 = [...]float64{
		-0x1.fffff82dfe295p-2, 0x1.55555031f8e3ep-2, -0x1.000426407ddbap-2, 0x1.99a3f450ee8f4p-3, -0x1.542771d9b7c25p-3,
		0x1.22718207cf101p-3, -0x1.0f371eedb281ap-3, 0x1.0848f616b18d6p-3, -0x1.38330afa46236p-4,
	}

	// 1/∛m = p(m) for √½ ≤ m ≤ √2: 2^-14.7.
	cbrtPoly = [...]float64{
		0x1.dfe07dce41d4ep0, -0x1.dca0fc186d8dfp0, 0x1.8fb1bf6a72baep0, -0x1.679f36544e895p-1, 0x1.06e689a4558bdp-3,
	}

	// sin(r) = r + r·z·p(z) and cos(r) = 1 - z/2 + z²·p(z), z = r², for |r| ≤ π/4: 2^-56.0 and
	// 2^-60.9.
	sinPoly = [...]float64{
		-0x1.5555555555555p-3, 0x1.1111111110c83p-7, -0x1.a01a019ea134dp-13, 0x1.71de37b1d3398p-19, -0x1.ae60210e407d7p-26,
		0x1.5e1193881f8afp-33,
	}
	cosPoly = [...]float64{
		0x1.5555555555555p-5, -0x1.6c16c16c168ccp-10, 0x1.a01a019f38b18p-16, -0x1.27e4fa0371482p-22, 0x1.1eeb585601c3cp-29,
		-0x1.9073d8c039354p-37,
	}

	// For float32 results sin(r) = r + r·z·p(z): 2^-28.0, and cos(r) = 1 + z·p(z): 2^-33.9.
	sinPoly32 = [...]float64{-0x1.555545240a149p-3, 0x1.110739fa9c96ep-7, -0x1.99438783dbb43p-13}
	cosPoly32 = [...]float64{-0x1.ffffffcb77e0ep-2, 0x1.55553c74b3611p-5, -0x1.6c07efdeb3ff1p-10, 0x1.991642db9bd0fp-16}

	// atan(t) = t + t·z·p(z), z = t², for |t| ≤ 1: 2^-57.7.
	atanPoly = [...]float64{
		-0x1.5555555555555p-2, 0x1.9999999999889p-3, -0x1.249249248aa63p-3, 0x1.c71c71c400394p-4, -0x1.745d16eac7943p-4,
		0x1.3b13aaa61eb25p-4, -0x1.1110be031dcc9p-4, 0x1.e1dc016818859p-5, -0x1.af00c87163751p-5, 0x1.854bc4fc0aa7ap-5,
		-0x1.60f31796f9d96p-5, 0x1.3d58552227922p-5, -0x1.14b8a75005098p-5, 0x1.c48a48b49a7f5p-6, -0x1.4cc40a52ec92fp-6,
		0x1.a4627f0482f8dp-7, -0x1.b28c29c65f0d7p-8, 0x1.5bb4d7ad14518p-9, -0x1.8ff38a61d42edp-11, 0x1.243ad36952315p-13,
		-0x1.959e99e5d052fp-17,
	}

	// The same for float32 results: 2^-28.5.
	atanPoly32 = [...]float64{
		-0x1.55553e5a3fa71p-2, 0x1.9991fd2571258p-3, -0x1.2421b52a1f506p-3, 0x1.c099fe7f0cb5fp-4, -0x1.5834921dff195p-4,
		0x1.dac9e87a6c9eep-5, -0x1.fed169679b787p-6, 0x1.65a6664246253p-7, -0x1.d63000c93e879p-10,
	}

	// asin(t) = t + t·z·p(z), z = t², for |t| ≤ 1/2: 2^-58.0.
	asinPoly = [...]float64{
		0x1.5555555555556p-3, 0x1.3333333332d9ep-4, 0x1.6db6db6e48dffp-5, 0x1.f1c71c1187eddp-6, 0x1.6e8bb383c0ebbp-6,
		0x1.1c4d0fc1b6fbbp-6, 0x1.c9d336dfa2933p-7, 0x1.77ff42ac1dfb4p-7, 0x1.53365248bd332p-7, 0x1.5dc12cf8ad297p-8,
		0x1.224dcb11ab156p-6, -0x1.f6744b4ca8339p-7, 0x1.dc690516bc887p-6,
	}

	// The same for float32 results: 2^-27.6.
	asinPoly32 = [...]float64{
		0x1.5555c8c7c4473p-3, 0x1.3301cc5366e06p-4, 0x1.7480df31c2202p-5, 0x1.8c0cb53a7701dp-6, 0x1.598628c890c83p-5,
	}

	// sinh(x) = x + x·z·p(z), z = x², for |x| ≤ 1: 2^-60.5.
	sinhPoly = [...]float64{
		0x1.5555555555555p-3, 0x1.11111111111d8p-7, 0x1.a01a019ff873p-13, 0x1.71de3a7d5d7eap-19, 0x1.ae6425aea7e8cp-26,
		0x1.614455d1a5a8dp-33, 0x1.992f1051fce7ap-41, 0x1.d1a838540344p-47,
	}

	// erf(x) = x + x·p(x²) for |x| ≤ 1: 2^-62.7.
	erfPoly = [...]float64{
		0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b31p-4, -0x1.b82ce31284d8bp-6, 0x1.565bcd0db8477p-8,
		-0x1.c02db3da3263fp-11, 0x1.f9a321c23245ap-14, -0x1.f4d1e1799df2fp-17, 0x1.b9df0c1b84622p-20, -0x1.5f1e06a46674ep-23,
		0x1.f7ac3740e907dp-27, -0x1.38825d6155aa9p-30, 0x1.05b5defe71e1p-34,
	}

	// (1 + 2x)·exp(x²)·erfc(x) = erfcHead + t·p(t), t = (x-4)/(x+4), for 0.46 ≤ x ≤ 28: 2^-59.7.
	erfcHead = pair64{0x1.3ba5916e9fd7fp0, -0x1.a46e9e73bbd78p-55}
	erfcPoly = [...]float64{
		-0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd713p-7, 0x1.16ecefcfa5302p-4, -0x1.9ddb23c3e8ae1p-4, 0x1.7fee004e14358p-4,
		-0x1.0fb06dfe53baep-4, 0x1.3079edf62f222p-5, -0x1.09623882bd053p-6, 0x1.49c672a575be3p-8, -0x1.8d4a9c507b869p-11,
		-0x1.a1df41ac35875p-13, 0x1.3be06e69f6eeep-13, -0x1.995534dae3701p-16, -0x1.788e9e5103f79p-17, 0x1.7ef802479f91fp-18,
		0x1.3c1f23819c83dp-22, -0x1.b81c61cf98afap-21, 0x1.3caed916f19b1p-24, 0x1.bc621c684389dp-24, -0x1.270e36ee43f3fp-26,
		-0x1.4e2049e46817ap-27, 0x1.b2410b0b60e6dp-30,
	}

	// log(erfc(x)) = x·p(x) for 0 ≤ x ≤ 4, for float32 results: 2^-27.9 of erf(x).
	erfPoly32 = [...]float64{
		-0x1.20dd75178f42cp0, -0x1.45f2f9c302e3fp-1, -0x1.a4fa5dd1a5595p-4, 0x1.39cdc60c01a19p-6, 0x1.505fbc759d16dp-13,
		-0x1.b5004a0cc6321p-10, 0x1.4bc9e492cb2b7p-11, -0x1.ed6c485c7c52ap-14, 0x1.3696a6659bbaep-17,
	}

	// exp(x²)·erfc(x) = t·p(t), t = 3/(3+x), for 0 ≤ x ≤ 10.3, for float32 results: 2^-28.7.
	erfcPoly32 = [...]float64{
		0x1.81197c30fd571p-3, 0x1.82624dd3463a5p-3, 0x1.5f73aa66db205p-3, 0x1.87c9ff8e91172p-3, 0x1.f26fede15ec65p-12,
		0x1.98b043e1ebe7dp-2, -0x1.be6a66720609ep-2, 0x1.104ee5eefd316p-1, -0x1.297cb34cfe81ap-2, 0x1.c5fd9f0674d3bp-5,
	}
)

// poly returns c[0] + c[1]·x + c[2]·x² + … by Horner's rule, each step rounded once.
func poly(x float64, c []float64) float64 {
	p := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		p = math.FMA(p, x, c[i])
	}
	return p
}
