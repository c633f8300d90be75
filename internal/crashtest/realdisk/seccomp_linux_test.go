package realdisk_test

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Of linux/seccomp.h.
type (
	seccompNotif struct {
		id         uint64
		pid, flags uint32
		nr         int32
		arch       uint32
		ip         uint64
		args       [6]uint64
	}
	seccompAnswer struct {
		id           uint64
		val          int64
		error, flags int32
	}
)

const (
	seccompReceive   = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	seccompSend      = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
	seccompGoOn      = 1          // SECCOMP_USER_NOTIF_FLAG_CONTINUE
	seccompTsyncFlag = 1 << 4     // SECCOMP_FILTER_FLAG_TSYNC_ESRCH
)

// skipEveryOtherFdatasync makes every other fdatasync of this process, the first among them, do
// nothing and say that it has. The two of a commit of bbolt are all that a store does.
func skipEveryOtherFdatasync() error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FDATASYNC, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_TSYNC|seccompTsyncFlag, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	go answerFdatasyncs(fd)
	return nil
}

func answerFdatasyncs(listener uintptr) {
	for n := 0; ; n++ {
		var asked seccompNotif
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, listener, seccompReceive, uintptr(unsafe.Pointer(&asked))); errno != 0 {
			n--
			continue
		}
		answer := seccompAnswer{id: asked.id}
		if n%2 == 1 {
			answer.flags = seccompGoOn
		}
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, listener, seccompSend, uintptr(unsafe.Pointer(&answer)))
	}
}
