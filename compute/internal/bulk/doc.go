// Package bulk is the seam between the passes of a plan and operations on whole arrays, such as
// sorting, moving windows, convolutions and decompositions.
//
// A package that has such an algorithm implements [Work]: it says what it does, predicts how much
// memory it takes, and runs. It owns how elements are cut into chunks. What it gets for a [Run] are
// tensors, the room that it may take, and the [Pass] that runs its jobs: by all workers, under the
// guard of the storages they touch, with mapped files read ahead and written back, with progress,
// and until the context ends. It knows nothing of expressions; what binds one to some work knows
// nothing of chunks.
package bulk
