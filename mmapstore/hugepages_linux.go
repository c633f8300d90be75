package mmapstore

import "golang.org/x/sys/unix"

// preferHugePages asks for huge pages; a kernel without them refuses, which does no harm.
func preferHugePages(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
