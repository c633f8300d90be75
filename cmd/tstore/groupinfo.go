package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// groupTotals is what a group and the groups in it hold.
type groupTotals struct {
	groupJSON
	Tensors int   `json:"tensors"`
	Blobs   int   `json:"blobs"`
	Lazy    int   `json:"lazy"`
	NBytes  int64 `json:"nbytes"`
}

// groupInfo describes a group, or returns notFound when there is none.
func (a *app) groupInfo(ctx context.Context, s *tstore.Store, name string, asJSON bool, notFound error) error {
	d := groupTotals{groupJSON: groupJSON{Name: name, Kind: "group"}}

	group, snapshot, _ := strings.Cut(name, "@")
	for item, err := range s.List(ctx, &tstore.ListOptions{Group: group, Recursive: true, Snapshot: snapshot}) {
		if err != nil {
			return err
		}

		switch item.Record.Kind {
		case catalog.KindBlob:
			d.Blobs++
			continue
		case catalog.KindLazy:
			d.Lazy++
			continue
		}

		l, err := recordLayout(item.Record)
		if err != nil {
			return fmt.Errorf("%q: %w", item.Name, err)
		}
		d.Tensors++
		d.NBytes += numBytes(item.Record.DType, l)
	}

	if d.Tensors+d.Blobs+d.Lazy == 0 {
		return notFound
	}

	if asJSON {
		return writeJSON(a.stdout, d)
	}

	t := &table{}
	t.add("name", printable(d.Name+"/"))
	t.add("kind", "group")
	t.add("tensors", fmt.Sprint(d.Tensors))
	t.add("blobs", fmt.Sprint(d.Blobs))
	if d.Lazy > 0 {
		t.add("lazy names", fmt.Sprint(d.Lazy))
	}
	t.add("size", formatBytes(d.NBytes))
	return t.write(a.stdout)
}
