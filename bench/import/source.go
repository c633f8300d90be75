package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
)

// writeSource writes a .npy file of sizeBytes/4 float32 elements with random bits, the same in
// every run, and leaves it on the disk and in the page cache.
func writeSource(path string, sizeBytes int64) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()

	w := bufio.NewWriterSize(f, 1<<20)
	if _, err := w.Write(header(sizeBytes / 4)); err != nil {
		return err
	}

	random := rand.NewChaCha8([32]byte{})
	if _, err := io.CopyN(w, random, sizeBytes); err != nil {
		return err
	}

	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// header returns the header that NumPy writes for numElems float32 in one dimension: version 1.0,
// 128 bytes.
func header(numElems int64) []byte {
	const sizeBytes = 128
	dict := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", numElems)
	text := dict + strings.Repeat(" ", sizeBytes-10-1-len(dict)) + "\n"
	b := append(make([]byte, 0, sizeBytes), "\x93NUMPY\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}
