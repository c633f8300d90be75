// Package offload runs passes over memory on a device, chunk by chunk.
//
// A [Loop] is the job of an element-wise program, as exec.Loop is on the CPU. Each of its workers
// has a slot: a queue of the device with staging memory. For a chunk, a worker
//
//   - packs the elements of the inputs into staging memory, with the CPU's code for gathering;
//   - has the queue upload them, launch the program, and download what it computes, and waits;
//   - stores the results where they belong.
//
// All that touches mapped bytes is done by the worker under the guard of exec.Run, and nothing is
// queued while a page may fail: after a fault the slot is idle. Nothing is stored before the device
// is done with a chunk, so that the CPU can still compute it instead. Several slots keep the device
// busy: while one waits, another packs, and a third stores.
//
// A [Product] is a product of matrices. A tile of C stays on the device while panels of A and B pass
// by. Each worker packs panels in a slot of its own, with the code of package gemm. Panels are whole
// runs of package gemm, and are added to the tile in order: sums have its bits. Then workers store
// the tile, strip by strip, while others go on with the next one.
//
// An [Auto] has the device compute only what is expected to be faster there. A [Choice] is that of one
// pass: the CPU computes samples, whose time is compared with the [Terms] of the device for the rest.
// If the device fails, a [Rest] is what is left of a Loop, for the CPU.
//
// A [Reduction] is the job of a reduce.Engine, whose workers pack elements for a folder: a slot in
// which the device folds them into accumulators. These come back, and the worker goes on with them.
//
// Operands that are on the device are read and written where they are: by their strides in a Loop,
// segment by segment in a Reduction, and in a Product by launches that pack panels and store tiles.
//
// An [Engine] has the device, the compiled programs and the slots of a plan.
package offload
