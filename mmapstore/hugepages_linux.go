package mmapstore

import "golang.org/x/sys/unix"

// preferHugePages asks for huge pages; kernels without them say no, which is as good.
func preferHugePages(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
