// Package ptx writes GPU code: PTX, the assembly language of CUDA devices, which the driver
// compiles.
//
// What the code computes has the bits of what package kernel computes, except for the payloads of
// NaNs. So each float instruction names its rounding, and the functions of package kernel are
// translated from their Go source: functions.ptx holds what _gen makes of them. A [Function] is one
// of these.
package ptx
