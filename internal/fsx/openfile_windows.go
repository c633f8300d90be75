package fsx

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openFile is os.OpenFile with FILE_SHARE_DELETE, which package os does not ask for.
func openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}

	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(path, access(flag), share, nil, disposition(flag), attributes(flag, perm), 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

func access(flag int) uint32 {
	var bits uint32
	if flag&os.O_WRONLY == 0 {
		bits |= windows.GENERIC_READ
	}
	switch {
	case flag&os.O_APPEND != 0:
		bits |= windows.FILE_APPEND_DATA | windows.FILE_WRITE_ATTRIBUTES | windows.SYNCHRONIZE
	case flag&(os.O_WRONLY|os.O_RDWR) != 0:
		bits |= windows.GENERIC_WRITE
	}
	return bits
}

func disposition(flag int) uint32 {
	create, truncate := flag&os.O_CREATE != 0, flag&os.O_TRUNC != 0
	switch {
	case create && flag&os.O_EXCL != 0:
		return windows.CREATE_NEW
	case create && truncate:
		return windows.CREATE_ALWAYS
	case create:
		return windows.OPEN_ALWAYS
	case truncate:
		return windows.TRUNCATE_EXISTING
	}
	return windows.OPEN_EXISTING
}

// attributes: a folder is opened only with backup semantics.
func attributes(flag int, perm fs.FileMode) uint32 {
	bits := uint32(windows.FILE_ATTRIBUTE_NORMAL | windows.FILE_FLAG_BACKUP_SEMANTICS)
	if flag&os.O_CREATE != 0 && perm&0o200 == 0 {
		bits = windows.FILE_ATTRIBUTE_READONLY
	}
	return bits
}
