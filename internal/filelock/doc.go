// Package filelock takes advisory locks on single bytes of a permanent lock file, between
// goroutines and between processes.
//
// A [Held] is one byte locked in one [Mode]: any number of Shared holders, or one Exclusive holder.
// Each lock opens a descriptor of its own, so two locks exclude each other whether they live in one
// process or in two. The byte need not exist in the file; nothing is read or written there, and
// bytes far apart (1<<40 and more) cost nothing.
//
// On Linux and macOS the locks are open file description locks (F_OFD_SETLK, Linux 3.15, macOS). The kernel drops them
// within microseconds when the process dies, however it dies, so there are no stale locks. Classic
// POSIX record locks are not used: they vanish when any descriptor of the file closes. See
// fcntl_locking(2).
//
// # Waiting
//
// [Lock] first tries without waiting. When the byte is taken it waits in the kernel (F_OFD_SETLKW),
// where waiters for one byte form a queue and are woken in that order, one at a time, within some
// 50 µs. A newcomer, and above all the last holder, may still overtake a waiter that is just waking
// up. Where that matters, put a turnstile before the byte: take a second byte exclusively, then the
// first, then unlock the second.
//
// A wait in the kernel can't be interrupted from Go, whose signal handlers restart system calls.
// When the context ends first, Lock returns at once and leaves the wait behind: a goroutine, its
// thread and its descriptor, which let go of the byte as soon as they get it. Such a remnant lives
// only as long as the byte stays taken, and there are at most 64 kernel waits with a context in a
// process, remnants included; past that Lock polls, first after 50 µs and then up to 2 ms apart.
//
// # Caveats
//
//   - A missing lock file is made. It must never be removed, renamed or replaced while anyone may
//     use it: a second file under the same name would have owners of its own.
//   - Exclusive needs write permission on the file, Shared only read permission.
//   - A remnant of an ended wait can hold the byte for some microseconds, in which TryLock reports
//     [ErrHeld].
//   - There is no upgrade and no recursion. A goroutine that locks a byte it holds exclusively
//     waits for itself.
//   - Locks are advisory and unrelated to flock(2) and to POSIX record locks.
//   - Network file systems may emulate the locks or lose them when a server restarts.
//   - Windows: the locks are LockFileEx's, of a handle each, which the system drops when a process
//     dies. They wait in a queue of the system's. [Taken] takes the byte for some microseconds,
//     in which TryLock of others reports ErrHeld, and a locked byte that lies in a file can't be
//     read or written through other handles.
//   - Systems other than Linux, macOS and Windows: every call fails with [ErrUnsupported].
package filelock
