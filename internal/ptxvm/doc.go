// Package ptxvm interprets PTX, the assembly language of CUDA devices, as far as this repository
// writes it.
//
//   - A [Device] has memory, in which [Device.Alloc] makes a [Buffer].
//   - [Device.Load] reads the text of a [Module] and checks it as strictly as an assembler.
//   - [Module.Launch] runs an entry over a grid of blocks, warp by warp.
//
// It is strict, since a device is not. An instruction, a type or a modifier that is not in its
// tables is an error of Load. These are errors of Launch, each with the line and the thread:
//
//   - an access that is not aligned, or not within one buffer, table or shared array;
//   - a register, or a byte of memory, that is read before it was written;
//   - two threads that touch a shared byte, one of them to write, with no barrier between;
//   - a barrier that some threads of the block do not reach;
//   - bytes that cp.async copies, touched before their wait, or never waited for.
//
// Results have the bits that the PTX ISA defines. What a NaN looks like, it does not define.
//
// # Caveats
//
//   - Races between threads on global memory go unnoticed.
//   - Blocks run one after the other, and the warps of a block in order from barrier to barrier.
//   - Missing on purpose: float instructions that do not name their rounding, min and max of
//     floats, approximations, textures, atomics, functions, votes and shuffles.
package ptxvm
