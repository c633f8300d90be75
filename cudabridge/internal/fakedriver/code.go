//go:build cuda && fakecuda && linux

package fakedriver

// code is what the driver's functions answer, a CUresult.
type code int

const (
	success        code = 0
	invalidValue   code = 1
	outOfMemory    code = 2
	noDevice       code = 100
	invalidDevice  code = 101
	invalidContext code = 201
	noBinaryForGPU code = 209
	invalidPTX     code = 218
	invalidHandle  code = 400
	notFound       code = 500
	notReady       code = 600
	launchFailed   code = 719
)
