package filelock

// From xnu's bsd/sys/fcntl.h; golang.org/x/sys/unix doesn't name them.
const (
	ofdSetLock     = 90 // F_OFD_SETLK
	ofdSetLockWait = 91 // F_OFD_SETLKW
)
