package testdir

import "golang.org/x/sys/unix"

// freeInMemory returns how many bytes are free in the file system in memory, or 0 if there is none.
func freeInMemory() int64 {
	var st unix.Statfs_t
	if err := unix.Statfs(memory, &st); err != nil || st.Type != unix.TMPFS_MAGIC || unix.Access(memory, unix.W_OK) != nil {
		return 0
	}
	return int64(st.Bavail) * st.Bsize
}
