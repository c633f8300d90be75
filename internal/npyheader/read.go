package npyheader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const magic = "\x93NUMPY"

// Read reads a header from the start of a .npy file and leaves r at the first element. The input
// may be hostile: what Read allocates is bounded by [MaxHeader].
//
// What programs write for arrays of numbers is read, versions 1.0 to 3.0 and the headers of Python
// 2 included. Spellings that only Python's own parser would take, such as sizes in hex or a key
// given twice, are refused. Errors are [ErrNotNPY], [ErrMalformed], [ErrUnsupported], or those of
// r; a file that ends early is [io.ErrUnexpectedEOF].
func Read(r io.Reader) (Header, error) {
	var h Header
	if err := h.readVersion(r); err != nil {
		return Header{}, err
	}
	text, err := h.readText(r)
	if err != nil {
		return Header{}, err
	}
	if err := h.parse(text); err != nil {
		return Header{}, err
	}
	return h, nil
}

// readVersion reads the magic string and the version.
func (h *Header) readVersion(r io.Reader) error {
	var start [len(magic) + 2]byte
	n, err := io.ReadFull(r, start[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read .npy magic: %w", err)
	}

	// Say first that the file is no .npy file, even if it is also too short for one.
	if !bytes.HasPrefix(start[:n], []byte(magic)) {
		return fmt.Errorf("%w: expected it to start with %q, found %s", ErrNotNPY, magic, describe(start[:n]))
	}
	if n < len(start) {
		return fmt.Errorf("read .npy version: %w", io.ErrUnexpectedEOF)
	}

	h.Major, h.Minor = start[len(magic)], start[len(magic)+1]
	if h.Major < 1 || h.Major > 3 || h.Minor != 0 {
		return fmt.Errorf("%w: format version %d.%d, expected 1.0, 2.0 or 3.0", ErrUnsupported, h.Major, h.Minor)
	}
	return nil
}

// describe names the likely kind of a file that starts with b.
func describe(b []byte) string {
	switch {
	case len(b) == 0:
		return "an empty file"
	case bytes.HasPrefix(b, []byte("PK\x03\x04")), bytes.HasPrefix(b, []byte("PK\x05\x06")):
		return "a zip archive (perhaps a .npz: its members are .npy files)"
	case b[0] == 0x80:
		return "what may be a Python pickle (pickles are never loaded)"
	}
	return fmt.Sprintf("%q", b)
}

// readText reads the text behind the version, as UTF-8.

func (h *Header) readText(r io.Reader) (string, error) {
	var field [4]byte
	length := field[:2]
	if h.Major > 1 {
		length = field[:4]
	}

	if _, err := io.ReadFull(r, length); err != nil {
		return "", fmt.Errorf("read .npy header length: %w", unexpected(err))
	}

	// Check the size before memory is taken for it. A field of 2 bytes leaves the upper half zero.
	size := binary.LittleEndian.Uint32(field[:])
	if size > MaxHeader {
		return "", fmt.Errorf("%w: it is %d bytes long, at most %d are read", ErrMalformed, size, MaxHeader)
	}

	text := make([]byte, size)
	if n, err := io.ReadFull(r, text); err != nil {
		return "", fmt.Errorf("read .npy header: %d of %d bytes: %w", n, size, unexpected(err))
	}

	h.DataOffset = int64(len(magic) + 2 + len(length) + len(text))
	if h.Major < 3 {
		return fromLatin1(text), nil
	}

	if !utf8.Valid(text) {
		return "", fmt.Errorf("%w: it is not UTF-8, which version 3.0 asks for", ErrMalformed)
	}
	return string(text), nil
}

// unexpected turns the end of the file into one that came too early.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func fromLatin1(b []byte) string {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
