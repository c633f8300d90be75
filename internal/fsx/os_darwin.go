package fsx

import "golang.org/x/sys/unix"

// searchFolder opens a folder to look for names in it.
const searchFolder = unix.O_RDONLY

// fallocate asks for space past the present end, contiguous if possible, and moves the end there.
func fallocate(fd int, off, n int64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	grow := off + n - st.Size
	if grow <= 0 {
		return nil
	}
	if err := preallocate(fd, grow); err != nil {
		return err
	}
	return unix.Ftruncate(fd, off+n)
}

func preallocate(fd int, n int64) error {
	store := unix.Fstore_t{Flags: unix.F_ALLOCATECONTIG | unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: n}
	err := unix.FcntlFstore(uintptr(fd), unix.F_PREALLOCATE, &store)
	if err != nil {
		store.Flags = unix.F_ALLOCATEALL
		err = unix.FcntlFstore(uintptr(fd), unix.F_PREALLOCATE, &store)
	}
	switch err {
	case unix.ENOTSUP, unix.EOPNOTSUPP, unix.EINVAL, unix.ENOSYS:
		return ErrFallocateUnsupported
	}
	return err
}
