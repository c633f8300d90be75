package catalog

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/tstore/tstore/dtype"
)

// The limits of a record. Decoders hold them against hostile files, Put against callers.
const (
	MaxRank      = 64   // axes of a tensor
	MaxAttrs     = 4096 // attributes of one record
	MaxTextBytes = 1024 // bytes of an attribute's name, a dimension's name, or a storage's writer
	maxPathBytes = 8192 // bytes of an adopted storage's path, or of a record's parent
)

// Kind says what a name stands for.
type Kind uint8

// The kinds of records.
const (
	KindTensor Kind = iota // a strided view of a storage
	KindBlob               // one typed Value
	KindLazy               // a formula, computed when it is read
	numKinds
)

// String returns "tensor", "blob" or "lazy".
func (k Kind) String() string {
	switch k {
	case KindTensor:
		return "tensor"
	case KindBlob:
		return "blob"
	case KindLazy:
		return "lazy"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Record is what one name stands for. Shape, strides and offset count elements. A tensor uses all
// fields but Blob, a blob only those that are not geometry. A lazy name has no storage, strides and
// offset, and its dtype and shape are those that its formula had when it was defined.
type Record struct {
	Name     string
	Kind     Kind
	Storage  ID         // the storage that holds the elements; zero for blobs
	DType    dtype.Type // element type; Invalid for blobs, and for lazy names where it is not known
	Shape    []int64    // length of each axis
	Strides  []int64    // elements between neighbours on each axis; may be negative or zero
	Offset   int64      // element of the storage's payload at index 0, 0, …
	Dims     []string   // name of each axis, "" for none; empty, or as many as the shape
	Attrs    map[string]Value
	Version  uint64    // 1 when created, greater after each change
	Parent   string    // the selection this view was made of, as in "x[::2]", with the name of then; "" for none
	Created  time.Time // UTC, to the nanosecond
	Modified time.Time // UTC, to the nanosecond
	Blob     Value     // blobs only
	Formula  Formula   // of a lazy name what it stands for; of a tensor what its elements were computed from, or zero
}

// check says whether r can be stored. It does not look at other records.
func (r *Record) check() error {
	if err := CheckName(r.Name); err != nil {
		return err
	}
	for _, err := range []error{r.checkKind(), r.checkAttrs(), checkTime(r.Created), checkTime(r.Modified)} {
		if err != nil {
			return fmt.Errorf("record %q: %w", r.Name, err)
		}
	}
	if len(r.Parent) > maxPathBytes || !utf8.ValidString(r.Parent) {
		return fmt.Errorf("record %q: %w parent %.40q: expected at most %d bytes of valid UTF-8", r.Name, ErrInvalid, r.Parent, maxPathBytes)
	}
	return nil
}

func (r *Record) checkKind() error {
	switch r.Kind {
	case KindTensor:
		return r.checkTensor()
	case KindBlob:
		if !r.Storage.IsZero() || r.DType != dtype.Invalid || len(r.Shape)+len(r.Strides)+len(r.Dims) != 0 || r.Offset != 0 || !r.Formula.IsZero() {
			return fmt.Errorf("%w: a blob has no storage, dtype, shape, strides, dims, offset or formula", ErrInvalid)
		}
		return r.Blob.check()
	case KindLazy:
		return r.checkLazy()
	}
	return fmt.Errorf("%w kind %d: expected %d (tensor), %d (blob) or %d (lazy)", ErrInvalid, r.Kind, KindTensor, KindBlob, KindLazy)
}

func (r *Record) checkLazy() error {
	switch {
	case !r.Storage.IsZero() || len(r.Strides) != 0 || r.Offset != 0 || r.Parent != "" || r.Blob != Value{}:
		return fmt.Errorf("%w: a lazy name has no storage, strides, offset, parent or blob value", ErrInvalid)
	case r.Formula.Text == "":
		return fmt.Errorf("%w: a lazy name needs a formula", ErrInvalid)
	case r.DType == dtype.Invalid && len(r.Shape) != 0:
		return fmt.Errorf("%w: a lazy name has a shape and no dtype", ErrInvalid)
	case r.DType != dtype.Invalid && !r.DType.Valid():
		return fmt.Errorf("%w dtype %d", ErrInvalid, r.DType)
	}
	return errors.Join(r.checkAxes(), r.Formula.check())
}

func (r *Record) checkTensor() error {
	switch {
	case r.Storage.IsZero():
		return fmt.Errorf("%w: a tensor needs a storage", ErrInvalid)
	case !r.DType.Valid():
		return fmt.Errorf("%w dtype %d", ErrInvalid, r.DType)
	case len(r.Strides) != len(r.Shape):
		return fmt.Errorf("%w: %d strides for %d axes", ErrInvalid, len(r.Strides), len(r.Shape))
	case r.Offset < 0:
		return fmt.Errorf("%w: offset %d is negative", ErrInvalid, r.Offset)
	case r.Blob != Value{}:
		return fmt.Errorf("%w: a tensor holds no blob value", ErrInvalid)
	}
	return errors.Join(r.checkAxes(), r.Formula.check())
}

// checkAxes checks shape and dims.
func (r *Record) checkAxes() error {
	switch {
	case len(r.Shape) > MaxRank:
		return fmt.Errorf("%w: %d axes, at most %d are allowed", ErrInvalid, len(r.Shape), MaxRank)
	case len(r.Dims) != 0 && len(r.Dims) != len(r.Shape):
		return fmt.Errorf("%w: %d dimension names for %d axes", ErrInvalid, len(r.Dims), len(r.Shape))
	}

	for i, n := range r.Shape {
		if n < 0 {
			return fmt.Errorf("%w: axis %d has length %d", ErrInvalid, i, n)
		}
	}

	for _, d := range r.Dims {
		if err := checkText("dimension name", d); err != nil {
			return err
		}
	}
	return nil
}

func (r *Record) checkAttrs() error {
	if len(r.Attrs) > MaxAttrs {
		return fmt.Errorf("%w: %d attributes, at most %d are allowed", ErrInvalid, len(r.Attrs), MaxAttrs)
	}

	total := 0
	for name, v := range r.Attrs {
		if name == "" {
			return fmt.Errorf("%w: an attribute has an empty name", ErrInvalid)
		}
		if err := checkText("attribute name", name); err != nil {
			return err
		}
		if err := v.check(); err != nil {
			return fmt.Errorf("attribute %q: %w", name, err)
		}
		total += len(v.text)
	}

	if total > MaxValueBytes {
		return fmt.Errorf("%w: attributes of %d bytes together, at most %d are allowed", ErrInvalid, total, MaxValueBytes)
	}
	return nil
}

func checkText(what, s string) error {
	if len(s) > MaxTextBytes || !utf8.ValidString(s) {
		return fmt.Errorf("%w %s %.40q: expected at most %d bytes of valid UTF-8", ErrInvalid, what, s, MaxTextBytes)
	}
	return nil
}

// checkTime refuses times that an int64 of nanoseconds cannot tell.
func checkTime(t time.Time) error {
	const maxSeconds = math.MaxInt64 / 1_000_000_000
	if s := t.Unix(); !t.IsZero() && (s <= -maxSeconds || s >= maxSeconds) {
		return fmt.Errorf("%w time %s: expected a year between 1678 and 2262", ErrInvalid, t.Format(time.RFC3339))
	}
	return nil
}
