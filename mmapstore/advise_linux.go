package mmapstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// adviseFile advises on mapped bytes of a file. off counts from the first byte of f's part.
func adviseFile(f *dataFile, m *memory, off, n int64, a Advice) error {
	switch a {
	case Normal:
		return errors.Join(advisePages(m, off, n, unix.MADV_NORMAL), adviseRead(f, off, n, unix.FADV_NORMAL))
	case Sequential:
		// The descriptor's read-ahead is the one that faults on its mapping use.
		return adviseRead(f, off, n, unix.FADV_SEQUENTIAL)
	case Random:
		return advisePages(m, off, n, unix.MADV_RANDOM)
	case WillNeed:
		return willNeed(m, off, n)
	case DontNeed:
		return dropFile(f, m, off, n)
	}

	// What is left is to populate. EFAULT says only that some page can't be had: find the first.
	err := populate(m, off, n, a)
	if err == unix.EFAULT {
		return f.firstFault(off, n)
	}
	return err
}

// adviseMemory advises on mapped bytes that are in no file: only populating them makes sense.
func adviseMemory(m *memory, off, n int64, a Advice) error {
	if a == PopulateRead || a == PopulateWrite {
		return populate(m, off, n, a)
	}
	return nil
}

// dropFile unmaps the pages that lie within [off, off+n) and drops them from the page cache.
// Private pages may be the only copy and stay.
func dropFile(f *dataFile, m *memory, off, n int64) error {
	if f.mode == Private {
		return nil
	}
	page := int64(os.Getpagesize())
	from, to := off-m.wholeAt, off-m.wholeAt+n
	from = (from + page - 1) / page * page
	if to < int64(len(m.whole)) {
		to = to / page * page
	}
	if from >= to {
		return nil
	}
	return errors.Join(madvise(m.whole[from:to], unix.MADV_DONTNEED), adviseRead(f, from+m.wholeAt, to-from, unix.FADV_DONTNEED))
}

func populate(m *memory, off, n int64, a Advice) error {
	if a == PopulateWrite {
		return advisePages(m, off, n, unix.MADV_POPULATE_WRITE)
	}
	return advisePages(m, off, n, unix.MADV_POPULATE_READ)
}

// aheadBytes is the read-ahead of most devices.
const aheadBytes = 128 << 10

// willNeed starts to read a range piece by piece: Linux reads no more of one than the read-ahead of
// the device.
func willNeed(m *memory, off, n int64) error {
	for end := off + n; off < end; off += aheadBytes {
		if err := advisePages(m, off, min(aheadBytes, end-off), unix.MADV_WILLNEED); err != nil {
			return err
		}
	}
	return nil
}

// advisePages advises on all pages that [off, off+n) touches.
func advisePages(m *memory, off, n int64, advice int) error {
	start := off - m.wholeAt
	return madvise(m.whole[start-start%int64(os.Getpagesize()):start+n], advice)
}

// madvise repeats interrupted calls and ignores advice that the kernel does not know.
func madvise(b []byte, advice int) error {
	for {
		switch err := unix.Madvise(b, advice); err {
		case unix.EINTR:
		case unix.EINVAL, unix.ENOSYS:
			return nil
		default:
			return err
		}
	}
}

// adviseRead advises on the descriptor.
func adviseRead(f *dataFile, off, n int64, advice int) error {
	if f.detached != nil {
		return nil // nothing to advise on: the pages are advised on through the mapping
	}
	return unix.Fadvise(int(f.Fd()), f.offset+off, n, advice)
}

// firstFault finds the first byte of [off, off+n) that can't be had, after the kernel said that
// there is one.
func (f *dataFile) firstFault(off, n int64) error {
	at := off
	if info, err := f.Stat(); err == nil && info.Size() < f.offset+off+n {
		at = max(off, info.Size()-f.offset)
	} else {
		at += f.readable(off, n)
	}
	return &FaultError{Path: f.Name(), Offset: f.offset + at, Err: f.diagnose(at)}
}

// readable counts the bytes from off that can be read, up to n.
func (f *dataFile) readable(off, n int64) (good int64) {
	buf := make([]byte, chunkBytes)
	for good < n {
		part, err := f.ReadAt(buf[:min(n-good, chunkBytes)], f.offset+off+good)
		good += int64(part)
		if err != nil {
			break
		}
	}
	return min(good, n-1)
}
