package filelock

// From xnu's bsd/sys/fcntl.h; golang.org/x/sys/unix doesn't name them.
const (
	ofdGetLock     = 92 // F_OFD_GETLK
	ofdSetLock     = 90 // F_OFD_SETLK
	ofdSetLockWait = 91 // F_OFD_SETLKW
)
