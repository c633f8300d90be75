package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/view"
)

// fileLayoutJSON describes how elements lie in their file, for `info --layout`.
type fileLayoutJSON struct {
	HeaderBytes    int64    `json:"header_bytes"`
	PayloadBytes   int64    `json:"payload_bytes"`
	ByteOffset     int64    `json:"byte_offset"`
	ByteStrides    []int64  `json:"byte_strides"`
	Runs           int      `json:"runs"`
	RunElements    int      `json:"run_elements"`
	ApparentBytes  int64    `json:"apparent_bytes"`
	AllocatedBytes int64    `json:"allocated_bytes"`
	Refs           int64    `json:"refs"`
	Sharers        []string `json:"sharers"`
}

// The greatest number of names sharing a storage that are printed: as JSON, and as text.
const (
	sharersShown  = 100
	sharersInText = 10
)

// describeFileLayout describes how the elements of info lie in their file.
func describeFileLayout(ctx context.Context, s *tstore.Store, info *tstore.Info) (*fileLayoutJSON, error) {
	fi, err := os.Stat(dataFile(s, info.Storage))
	if err != nil {
		return nil, fmt.Errorf("data file of %q: %w", info.Record.Name, err)
	}

	sharers, err := s.Sharers(ctx, sourceOf(info), sharersShown)
	if err != nil {
		return nil, err
	}

	itemSize := int64(info.DType.Size())
	p := &fileLayoutJSON{
		HeaderBytes:    info.Storage.HeaderBytes,
		PayloadBytes:   info.Storage.PayloadBytes,
		ByteOffset:     info.Storage.HeaderBytes + int64(info.Layout.Offset())*itemSize,
		ByteStrides:    make([]int64, info.Layout.Rank()),
		ApparentBytes:  fi.Size(),
		AllocatedBytes: fsx.Allocated(fi),
		Refs:           info.Storage.Refs,
		Sharers:        notNil(sharers),
	}

	for i := range p.ByteStrides {
		p.ByteStrides[i] = int64(info.Layout.Stride(i)) * itemSize
	}

	p.Runs, p.RunElements = contiguousRuns(info.Layout)
	return p, nil
}

// contiguousRuns returns the number of stretches of neighbouring elements that a walk in C order
// reads, and the number of elements in each.
func contiguousRuns(l view.Layout) (runs, elements int) {
	for run := range l.Runs() {
		if run.Step != 1 {
			return l.NumElems(), 1
		}
		return l.NumElems() / run.N, run.N
	}
	return 0, 0
}

// describe adds the text form to a table.
func (p *fileLayoutJSON) describe(t *table) {
	t.add("first byte", fmt.Sprint(p.ByteOffset))
	t.add("byte strides", formatTuple(p.ByteStrides))
	t.add("runs", fmt.Sprintf("%d of %d elements each", p.Runs, p.RunElements))
	t.add("payload", fmt.Sprintf("%s, after a header of %s", formatBytes(p.PayloadBytes), formatBytes(p.HeaderBytes)))
	t.add("file size", formatBytes(p.ApparentBytes))
	if p.AllocatedBytes >= 0 {
		t.add("on disk", formatBytes(p.AllocatedBytes))
	}
	shown := quoteAll(p.Sharers[:min(len(p.Sharers), sharersInText)])
	if p.Refs > int64(len(shown)) {
		shown = append(shown, "…")
	}
	t.add("shared by", fmt.Sprintf("%d: %s", p.Refs, strings.Join(shown, ", ")))
}
