package model

import (
	"slices"

	"github.com/tstore/tstore/catalog"
)

// Cycles are runs of steps in which features meet, again and again: what chance alone would seldom
// put together.

// cycle queues one.
func (g *generator) cycle(w *world) []step {
	if g.chance(30) {
		return g.transfers(w)
	}
	if g.chance(30) && w.quiet() {
		return g.writing(w.model)
	}
	return g.bringBack(w.model)
}

// bringBack changes a tensor and brings it back from the same snapshot, two or three times, with as
// many rows each time. Beside it the tensor is backed up, opened, computed with.
func (g *generator) bringBack(s *state) []step {
	var kept []string
	for snap, then := range s.snaps {
		for name, o := range then.names {
			if o.kind == catalog.KindTensor && len(o.shape) > 0 && then.bufs[o.buf].file == "" {
				kept = append(kept, snap+" "+name)
			}
		}
	}
	if len(kept) == 0 {
		return nil
	}
	slices.Sort(kept)
	snap, name := kept[0][:2], oneOf(g.rng, kept)[3:]
	for _, k := range kept {
		if k[3:] == name {
			snap = k[:2]
		}
	}
	o := s.snaps[snap].names[name]
	dt := s.snaps[snap].bufs[o.buf].dtype
	rows := slices.Concat([]int{1 + g.rng.IntN(3)}, o.shape[1:])
	var all []step
	maybe := func(percent int, st step) {
		if g.chance(percent) {
			all = append(all, st)
		}
	}
	once := func() {
		maybe(50, step{Do: "delete", Names: []string{name}})
		maybe(85, step{Do: "bring", Name: snap, Names: []string{name}})
		maybe(20, step{Do: "restore", Name: snap})
		maybe(25, step{Do: "unseal", Name: name})
		maybe(30, step{Do: "open", Name: name})
		maybe(80, step{Do: "append", Name: name, DType: dt, Shape: rows, First: 1})
		maybe(20, step{Do: "fill", Name: name, Part: part{Kind: "span", I: 0, J: 1}, First: 1})
		maybe(30, step{Do: "open", Name: name})
		maybe(30, step{Do: "define", Name: "v", Expr: expr{Op: "add", A: name, K: 1}, Flag: true})
		maybe(70, step{Do: "backup", Count: 1})
		maybe(15, step{Do: "tar", Flag: true})
		maybe(10, step{Do: "gc"})
		maybe(10, step{Do: "salvage"})
	}
	once()
	round := slices.Clone(all)
	all = append(all, round...)
	if g.chance(30) {
		once()
	}
	return all
}

// transfers are two transactions that change elements of the same two tensors.
func (g *generator) transfers(w *world) []step {
	a, b := g.tensorName(w.model), g.tensorName(w.model)
	if len(w.txs) > 0 {
		return nil
	}
	move := func(tx int) step {
		k := 1 + int64(g.rng.IntN(99))
		return step{Do: "eval", Tx: tx, Handle: tx % 2, Stmts: []stmt{
			{Target: a, Part: part{Kind: "span", I: 0, J: 1}, Op: "-=", Expr: expr{Op: "const", K: k}},
			{Target: b, Part: part{Kind: "span", I: 1, J: 2}, Op: "+=", Expr: expr{Op: "const", K: k}},
		}}
	}
	one, two := w.nextTx(), w.nextTx()
	all := []step{{Do: "begin", Count: one, Handle: one % 2}, {Do: "begin", Count: two, Handle: two % 2}, move(one)}
	if g.chance(30) {
		all = append(all, step{Do: "gc", Handle: two % 2})
	}
	all = append(all, move(two))
	ends := []step{{Do: oneOf(g.rng, []string{"commit", "commit", "abort"}), Tx: one}, {Do: "commit", Tx: two}}
	if g.chance(50) {
		slices.Reverse(ends)
	}
	return append(all, ends...)
}
