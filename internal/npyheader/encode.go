package npyheader

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

const (
	align = 64 // of the data in the file
	// The axis that grows on an append is given room for as many digits as NumPy gives it
	// (GROWTH_AXIS_MAX_DIGITS in numpy.lib.format), so the dictionary can be rewritten in place.
	growthDigits = 21
	prefix       = len(magic) + 2 + 2 // magic, version, length
)

// Encode returns the header of version 1.0 for h, up to the first element. With size 0 it is as
// long as NumPy makes it, a multiple of 64 bytes, and without a comment it is the same bytes.
// Otherwise it is size bytes, a positive multiple of 64: padded with spaces, '\n' last. (numpy.load
// refuses headers over 10,000 bytes by default.)
//
// h.DType must be valid: bfloat16 and float8 are written under their void codes. Comment is one
// line of printable ASCII.
func Encode(h Header, size int) ([]byte, error) {
	if !h.DType.Valid() {
		return nil, fmt.Errorf("encode .npy header: no dtype")
	}
	h.Descr = descr(h)
	if err := h.checkShape(); err != nil {
		return nil, fmt.Errorf("encode .npy header: %w", err)
	}

	text, err := h.text()
	if err != nil {
		return nil, fmt.Errorf("encode .npy header: %w", err)
	}

	needed := prefix + len(text) + 1
	if size == 0 {
		size = needed + align - needed%align
	}

	if size%align != 0 || size < needed || size-prefix > 1<<16-1 {
		return nil, fmt.Errorf("encode .npy header: %d bytes: expected a multiple of %d, at least %d and at most %d", size, align, needed, 1<<16)
	}

	b := make([]byte, 0, size)
	b = append(b, magic...)
	b = append(b, 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(size-prefix))
	b = append(b, text...)
	b = append(b, strings.Repeat(" ", size-1-len(b))...)
	return append(b, '\n'), nil
}

// descr returns the code of h's type in its byte order.
func descr(h Header) string {
	code := h.DType.Code()
	if rest, ok := strings.CutPrefix(code, "<"); ok && h.Swapped {
		return ">" + rest
	}
	return code
}

// text returns the dictionary as NumPy writes it, room to grow, and the comment.
func (h Header) text() (string, error) {
	for _, c := range []byte(h.Comment) {
		if c < ' ' || c > '~' {
			return "", fmt.Errorf("comment %q: expected one line of printable ASCII", h.Comment)
		}
	}

	fortran := "False"
	if h.Fortran {
		fortran = "True"
	}

	var b strings.Builder
	fmt.Fprintf(&b, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", h.Descr, fortran, shapeText(h.Shape))

	// Leave room for the growing axis to take as many digits as it can have, so that an append
	// rewrites the header in place.
	if n := len(h.Shape); n > 0 {
		growing := h.Shape[0]
		if h.Fortran {
			growing = h.Shape[n-1]
		}
		b.WriteString(strings.Repeat(" ", growthDigits-len(strconv.Itoa(growing))))
	}

	if h.Comment != "" {
		b.WriteString(" # " + h.Comment)
	}

	return b.String(), nil
}

// shapeText returns the shape as Python prints a tuple: (), (3,), (3, 4).
func shapeText(shape []int) string {
	if len(shape) == 1 {
		return fmt.Sprintf("(%d,)", shape[0])
	}
	axes := make([]string, len(shape))
	for i, dim := range shape {
		axes[i] = strconv.Itoa(dim)
	}
	return "(" + strings.Join(axes, ", ") + ")"
}
