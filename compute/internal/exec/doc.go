// Package exec runs work that is cut into chunks: on several goroutines, under the guard of the
// storages it touches, until it is done, fails or is cancelled.
//
// A [Job] knows its chunks; [Run] hands them out in order. A [Loop] is the job of element-wise
// programs: it walks the boxes of a plan.Nest and evaluates a machine.Program over each block.
package exec
