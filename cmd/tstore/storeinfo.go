package main

import (
	"context"
	"fmt"

	"github.com/tstore/tstore"
)

// storeJSON is a store, for `info --json` without a name.
type storeJSON struct {
	Store        string `json:"store"`
	ID           string `json:"id"`
	Format       int    `json:"format"`
	Created      string `json:"created"`
	Tensors      int    `json:"tensors"`
	Blobs        int    `json:"blobs"`
	Lazy         int    `json:"lazy"`
	Storages     int    `json:"storages"`
	NBytes       int64  `json:"nbytes"`
	Adopted      int    `json:"adopted"`
	AdoptedBytes int64  `json:"adopted_nbytes"`
	Unclean      int    `json:"unclean"`
	Trash        int    `json:"trash"`
	Snapshots    int    `json:"snapshots"`
}

// storeInfo describes the store.
func (a *app) storeInfo(ctx context.Context, s *tstore.Store, asJSON bool) error {
	sum, err := s.Summary(ctx)
	if err != nil {
		return err
	}

	d := storeJSON{
		Store: s.Dir(), ID: s.ID().String(), Format: sum.Format, Created: jsonTime(sum.Created),
		Tensors: sum.Tensors, Blobs: sum.Blobs, Lazy: sum.Lazy, Storages: sum.Storages, NBytes: sum.Bytes,
		Adopted: sum.Adopted, AdoptedBytes: sum.AdoptedBytes, Unclean: sum.Unclean, Trash: sum.Trash, Snapshots: sum.Snapshots,
	}

	if asJSON {
		return writeJSON(a.stdout, d)
	}

	t := &table{}
	t.add("store", printable(d.Store))
	t.add("id", d.ID)
	t.add("format", fmt.Sprint(d.Format))
	t.add("created", d.Created)

	t.add("tensors", fmt.Sprint(d.Tensors))
	t.add("blobs", fmt.Sprint(d.Blobs))
	if d.Lazy > 0 {
		t.add("lazy names", fmt.Sprint(d.Lazy))
	}

	t.add("storages", fmt.Sprintf("%d, %s", d.Storages, formatBytes(d.NBytes)))
	t.add("adopted files", fmt.Sprintf("%d, %s", d.Adopted, formatBytes(d.AdoptedBytes)))
	if d.Snapshots > 0 {
		t.add("snapshots", fmt.Sprint(d.Snapshots))
	}

	if d.Unclean > 0 {
		t.add("unclean", fmt.Sprintf("%d (tstore fsck tells more)", d.Unclean))
	}
	if d.Trash > 0 {
		t.add("trash", fmt.Sprintf("%d files (tstore gc removes them)", d.Trash))
	}

	return t.write(a.stdout)
}
