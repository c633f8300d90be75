package main

import (
	"fmt"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// tensorTable returns the text form of a description.
func tensorTable(d tensorJSON, info *tstore.Info) *table {
	t := &table{}
	if info.Selector.Name != "" {
		t.add("name", printable(d.Name))
	}
	if d.Selector != d.Name {
		t.add("selector", printable(d.Selector))
	}

	t.add("dtype", d.DType)
	t.add("shape", formatTuple(d.Shape))
	if len(d.Dims) > 0 {
		t.add("dims", strings.Join(quoteAll(d.Dims), ", "))
	}

	t.add("size", fmt.Sprintf("%d elements, %s", d.Size, formatBytes(d.NBytes)))
	t.add("order", orderText(d.Order))
	t.add("strides", formatTuple(d.Strides)+" elements")
	if d.Offset != 0 {
		t.add("offset", fmt.Sprintf("%d elements", d.Offset))
	}

	if d.Parent != "" {
		t.add("view of", printable(d.Parent))
	}

	if info.Selector.Name == "" {
		t.add("storage", "none: it is computed, and cp would make a tensor of it")
		return t
	}

	addStorage(t, d)
	t.add("version", fmt.Sprint(d.Version))
	t.add("created", d.Created)
	t.add("modified", d.Modified)
	addAttrs(t, info.Record.Attrs)
	return t
}

func addStorage(t *table, d tensorJSON) {
	if d.Storage == "" {
		t.add("storage", "none: a copy, which cp would make a tensor")
		return
	}

	t.add("storage", d.Storage)
	file := printable(d.File)
	if d.Adopted {
		file += " (adopted)"
	}
	t.add("file", file)

	if d.Sparse {
		t.add("sparse", "yes")
	}
	if d.Sealed {
		t.add("sealed", "yes")
	}
	if d.State != catalog.Clean.String() {
		t.add("state", d.State)
	}
}

func orderText(order string) string {
	switch order {
	case "C":
		return "C (row-major, contiguous)"
	case "F":
		return "F (column-major, contiguous)"
	}
	return "none (strided)"
}

// addAttrs adds a line for each attribute, in the order of their names.
func addAttrs(t *table, attrs map[string]catalog.Value) {
	for _, key := range sortedKeys(attrs) {
		t.add("attr "+printable(key), valueText(attrs[key]))
	}
}
