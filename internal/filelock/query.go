package filelock

// Taken reports whether a lock on the byte at off of the file at path, in the given mode, would
// have to wait now. It takes no lock, so it disturbs nobody; the answer can be out of date at once.
func Taken(path string, off int64, mode Mode) (bool, error) {
	fd, err := open(path, off, Shared)
	if err != nil {
		return false, err
	}
	defer closeFile(fd)
	taken, err := queryLock(fd, off, mode)
	if err != nil {
		return false, failure(path, off, mode, err)
	}
	return taken, nil
}
