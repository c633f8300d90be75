package main

import (
	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// recordJSON is what a tensor's record says, for `ls --json`.
type recordJSON struct {
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	DType      string         `json:"dtype"`
	Shape      []int          `json:"shape"`
	Strides    []int          `json:"strides"`
	Offset     int            `json:"offset"`
	Size       int            `json:"size"`
	NBytes     int64          `json:"nbytes"`
	Storage    string         `json:"storage"`
	Contiguous bool           `json:"contiguous"`
	Order      string         `json:"order"`
	Dims       []string       `json:"dims"`
	Attrs      map[string]any `json:"attrs"`
	Parent     string         `json:"parent"`
	Created    string         `json:"created"`
	Modified   string         `json:"modified"`
}

// tensorJSON adds what the tensor's storage says, for `info --json`.
type tensorJSON struct {
	recordJSON
	Selector string `json:"selector"`
	Version  uint64 `json:"version"`
	File     string `json:"file"`
	Adopted  bool   `json:"adopted"`
	Sparse   bool   `json:"sparse"`
	Sealed   bool   `json:"sealed"`
	State    string `json:"state"`
	// Formula is what the elements were computed from, or nil.
	Formula *formulaJSON `json:"formula"`
}

// blobJSON is a blob.
type blobJSON struct {
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`
	Type     string         `json:"type"`
	Value    any            `json:"value"`
	Attrs    map[string]any `json:"attrs"`
	Version  uint64         `json:"version"`
	Created  string         `json:"created"`
	Modified string         `json:"modified"`
}

// groupJSON is a group.
type groupJSON struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// describeTensor is the JSON form of a tensor, of a part of one, or of what an expression makes.
func describeTensor(s *tstore.Store, info *tstore.Info, text string) tensorJSON {
	d := tensorJSON{
		recordJSON: describeRecord(info.Record, info.DType, info.Layout),
		Selector:   selectorText(info, text),
		Version:    info.Version(),
		File:       dataFile(s, info.Storage),
		Adopted:    info.Storage.Adopted,
		Sparse:     info.Storage.Sparse,
		Sealed:     info.Storage.Seal != nil,
		State:      info.Storage.State.String(),
	}

	d.Dims = notNil(info.Dims())

	if info.Copied {
		d.Storage, d.File, d.Adopted, d.Sparse, d.Sealed, d.State = "", "", false, false, false, "copy"
	}
	if info.Selector.Name == "" {
		d.Kind, d.Created, d.Modified, d.State = "expression", "", "", "computed"
	}

	return d
}

func describeRecord(r catalog.Record, dt dtype.Type, l view.Layout) recordJSON {
	return recordJSON{
		Name: r.Name, Kind: r.Kind.String(), DType: dt.String(),
		Shape: l.Shape(), Strides: l.Strides(), Offset: l.Offset(),
		Size: l.NumElems(), NBytes: numBytes(dt, l), Storage: r.Storage.String(),
		Contiguous: l.IsContiguous(), Order: orderOf(l),
		Dims: notNil(r.Dims), Attrs: jsonAttrs(r.Attrs), Parent: r.Parent,
		Created: jsonTime(r.Created), Modified: jsonTime(r.Modified),
	}
}

func describeBlob(r catalog.Record) blobJSON {
	return blobJSON{
		Name: r.Name, Kind: r.Kind.String(), Type: r.Blob.Kind().String(), Value: jsonValue(r.Blob),
		Attrs: jsonAttrs(r.Attrs), Version: r.Version, Created: jsonTime(r.Created), Modified: jsonTime(r.Modified),
	}
}

// orderOf is "C" or "F" when the elements lie side by side in that order, else "none".
func orderOf(l view.Layout) string {
	switch {
	case l.IsContiguous():
		return "C"
	case l.IsFortran():
		return "F"
	}
	return "none"
}

func numBytes(t dtype.Type, l view.Layout) int64 { return int64(l.NumElems()) * int64(t.Size()) }

// notNil makes JSON say [] instead of null.
func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// recordLayout is the geometry of a record.
func recordLayout(r catalog.Record) (view.Layout, error) {
	return view.MakeLayout(toInts(r.Shape), toInts(r.Strides), int(r.Offset))
}

func toInts(v []int64) []int {
	out := make([]int, len(v))
	for i, n := range v {
		out[i] = int(n)
	}
	return out
}
