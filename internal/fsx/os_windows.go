package fsx

func fallocate(int, int64, int64) error { return ErrFallocateUnsupported }

// syncDir does nothing: NTFS journals its directories and has no call for it.
func syncDir(string) error { return nil }
