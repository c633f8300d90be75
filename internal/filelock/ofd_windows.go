package filelock

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

const (
	// shareAll lets others rename and remove the file, as they can on other systems.
	shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	// notRegular are the marks of folders, links and devices.
	notRegular = windows.FILE_ATTRIBUTE_DIRECTORY | windows.FILE_ATTRIBUTE_REPARSE_POINT | windows.FILE_ATTRIBUTE_DEVICE
)

// openFile opens path for a lock in the given mode, and makes it if it is missing. It returns a
// bare handle, as the finalizer of an *os.File would unlock a byte that is still meant to be held.
// A link is not followed.
func openFile(path string, mode Mode) (int, error) {
	access := uint32(windows.GENERIC_READ)
	if mode == Exclusive {
		access |= windows.GENERIC_WRITE
	}

	// Make the file only if it is missing: whoever may only read may use it as well.
	h, err := create(path, access, windows.OPEN_EXISTING)
	if err == windows.ERROR_FILE_NOT_FOUND {
		h, err = create(path, access|windows.GENERIC_WRITE, windows.OPEN_ALWAYS)
	}
	if err != nil {
		return -1, err
	}

	// A link, a folder or a device is opened as well: look at what it is.
	info, err := describe(h)
	if err == nil && info.FileAttributes&notRegular != 0 {
		err = errKind
	}
	if err != nil {
		closeFile(int(h))
		return -1, err
	}
	return int(h), nil
}

func create(path string, access, how uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return windows.InvalidHandle, err
	}
	const flags = windows.FILE_FLAG_OPEN_REPARSE_POINT | windows.FILE_FLAG_BACKUP_SEMANTICS
	return windows.CreateFile(name, access, shareAll, nil, how, windows.FILE_ATTRIBUTE_NORMAL|flags, 0)
}

func describe(h windows.Handle) (info windows.ByHandleFileInformation, err error) {
	err = windows.GetFileInformationByHandle(h, &info)
	return info, err
}

func closeFile(fd int) error { return windows.CloseHandle(windows.Handle(fd)) }

// setLock locks the byte or fails with ErrHeld at once.
func setLock(fd int, off int64, mode Mode) error {
	return lockByte(fd, off, mode, windows.LOCKFILE_FAIL_IMMEDIATELY)
}

// waitLock locks the byte, waiting in the kernel as long as that takes.
func waitLock(fd int, off int64, mode Mode) error { return lockByte(fd, off, mode, 0) }

func lockByte(fd int, off int64, mode Mode, flags uint32) error {
	if mode == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	switch err := windows.LockFileEx(windows.Handle(fd), flags, 0, 1, 0, at(off)); err {
	case windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING:
		return ErrHeld
	case windows.ERROR_NOT_SUPPORTED, windows.ERROR_INVALID_FUNCTION:
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	default:
		return err
	}
}

func unlockByte(fd int, off int64) error {
	return windows.UnlockFileEx(windows.Handle(fd), 0, 1, 0, at(off))
}

// at is how an offset is passed.
func at(off int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(off), OffsetHigh: uint32(off >> 32)}
}

// queryLock reports whether a lock of another handle excludes one on the byte. There is no call for
// that: it takes the lock and lets go of it.
func queryLock(fd int, off int64, mode Mode) (taken bool, err error) {
	err = setLock(fd, off, mode)
	if errors.Is(err, ErrHeld) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, unlockByte(fd, off)
}

// release unlocks the byte and closes the handle. Closing alone unlocks too, but the system may
// take its time for that.
func release(fd int, off int64) error {
	if err := errors.Join(unlockByte(fd, off), closeFile(fd)); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// isNamed reports whether path names the open file.
func isNamed(fd int, path string) (bool, error) {
	open, err := describe(windows.Handle(fd))
	if err != nil {
		return false, err
	}

	h, err := create(path, windows.FILE_READ_ATTRIBUTES, windows.OPEN_EXISTING)
	if err == windows.ERROR_FILE_NOT_FOUND || err == windows.ERROR_PATH_NOT_FOUND {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer closeFile(int(h))

	named, err := describe(h)
	return err == nil && open.VolumeSerialNumber == named.VolumeSerialNumber &&
		open.FileIndexHigh == named.FileIndexHigh && open.FileIndexLow == named.FileIndexLow, err
}
