package npyheader

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// parse fills h from the header's text.
func (h *Header) parse(text string) error {
	p := parser{text: text, longs: h.Major < 3}
	d, err := p.dictionary()
	if err != nil {
		return err
	}
	if comments := p.skip(); len(comments) > 0 {
		h.Comment = comments[0]
	}
	if p.pos != len(text) {
		return p.errorf("expected nothing after the dictionary, found %s", p.found())
	}
	return h.fill(d)
}

// fill takes the three keys that a header has, each once, in any order.
func (h *Header) fill(d dict) error {
	values := map[string]any{"descr": nil, "fortran_order": nil, "shape": nil}
	for _, e := range d {
		if previous, known := values[e.key]; !known || previous != nil || e.value == nil {
			return fmt.Errorf("%w: unknown, repeated or empty key %s: expected 'descr', 'fortran_order' and 'shape'", ErrMalformed, brief(e.key))
		}
		values[e.key] = e.value
	}

	if len(d) < len(values) {
		return fmt.Errorf("%w: %d keys: expected 'descr', 'fortran_order' and 'shape'", ErrMalformed, len(d))
	}

	if err := h.fillDescr(values["descr"]); err != nil {
		return err
	}

	fortran, ok := values["fortran_order"].(bool)
	if !ok {
		return fmt.Errorf("%w: fortran_order %s: expected True or False", ErrMalformed, brief(values["fortran_order"]))
	}
	h.Fortran = fortran

	if err := h.fillShape(values["shape"]); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

func (h *Header) fillShape(value any) error {
	axes, ok := value.(tuple)
	if !ok {
		return fmt.Errorf("shape %s: expected a tuple of integers", brief(value))
	}

	h.Shape = make([]int, len(axes))
	for i, axis := range axes {
		text, ok := axis.(number)
		if !ok {
			return fmt.Errorf("axis %d of the shape is %s: expected an integer", i, brief(axis))
		}
		dim, err := strconv.ParseInt(string(text), 10, strconv.IntSize)
		if err != nil {
			return fmt.Errorf("axis %d of the shape is %s: more than an axis can have", i, brief(text))
		}
		h.Shape[i] = int(dim)
	}

	return h.checkShape()
}

// brief spells a literal for a message, not at length.
func brief(literal any) string {
	const most = 40
	text := fmt.Sprintf("%v", literal)
	if s, ok := literal.(string); ok {
		text = strconv.Quote(s)
	}
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

func (h *Header) fillDescr(value any) error {
	switch descr := value.(type) {
	case string:
		return h.fillCode(descr)
	case list:
		return fmt.Errorf("%w: structured dtype with fields %s: save each field as an array of its own", ErrUnsupported, fields(descr))
	case tuple:
		return fmt.Errorf("%w: subarray dtype: save the array with a plain dtype and those axes at the end of its shape", ErrUnsupported)
	}
	return fmt.Errorf("%w: descr %s: expected a dtype such as '<f4'", ErrMalformed, brief(value))
}

// fields lists the first names of a structured dtype.
func fields(descr list) string {
	const shown = 8
	var names []string
	for i, field := range descr {
		if i == shown {
			names = append(names, "…")
			break
		}
		if pair, ok := field.(tuple); ok && len(pair) > 0 {
			names = append(names, brief(pair[0]))
		}
	}
	return strings.Join(names, ", ")
}

func (h *Header) fillCode(descr string) error {
	t, swapped, err := dtype.ParseDescr(descr)
	if errors.Is(err, dtype.ErrAmbiguous) {
		err = nil
	}
	if err == nil {
		h.DType, h.Descr, h.Swapped = t, descr, swapped
		return nil
	}
	if why := refusal(strings.TrimLeft(descr, "<>=|")); why != "" {
		return fmt.Errorf("%w: dtype %s: %s", ErrUnsupported, brief(descr), why)
	}
	return fmt.Errorf("%w: %w", ErrUnsupported, err)
}

// refusal says, by the first letter of its code, why a type of NumPy's is refused. It is empty for
// letters that NumPy does not have.
func refusal(code string) string {
	if code == "" {
		return ""
	}

	switch code[0] {
	case 'O':
		return "an object array is a Python pickle, and pickles are never loaded; save it with a number dtype"
	case 'U', 'S', 'a', 'T':
		return "strings are not numbers; save them as text, or as codes with a table"
	case 'M', 'm':
		return "dates and time spans carry a unit; save .view('i8') and keep the unit as an attribute"
	case 'V':
		return "raw bytes have no number type; save .view('u1')"
	case 'f', 'g', 'c', 'G':
		return "this float size exists on few machines; save .astype('f8') or .astype('c16')"
	}

	return ""
}
