// Package devicetest has what tests of code for devices need on machines without a GPU.
//
//   - A [Device] is a device in Go, over the interpreter of package ptxvm. [Open] makes one for a
//     test, and looks for mistakes and leaks when the test ends.
//   - [TestDevice] tests any implementation of [device.Device], real ones too, by what the comments
//     of package device promise.
//
// Where a real device forgives, the one in Go is strict, so that tests see mistakes:
//
//   - Queues are late, each in another way, by a seed: an operation may wait until somebody waits
//     for it. One queue overtakes another, and staging memory that is changed too early is seen
//     changed.
//   - A copy that is not within staging memory of the queue, or against the [device.Use] of it, is an
//     error. So is memory that was freed, that lies around an allocation, or that nobody wrote.
//   - New staging memory holds garbage, and so does that of a closed queue.
//   - Close of a device returns an error while there are queues, modules or blocks.
//
// [Fault] has calls fail, [Device.Stall] stops all queues, and [Device.Lose] loses the device. A
// [Liar] is any device that computes other bits.
// [Device.Live], [Device.Stats] and [Device.Mistakes] tell what was done to it.
package devicetest
