package boltfile

import "fmt"

// Check visits every page of a commit once, and calls report with what is wrong. buckets are the
// top-level buckets; one that is missing is reported if required says so of it. It reports what
// bbolt's Tx.Check would, but never trusts a page: that one recurses without end on a circle of
// pages.
func (c *Commit) Check(buckets []string, required func(bucket string) bool, report func(detail string)) {
	w := &walker{c: c, seen: make([]bool, max(c.meta.HighWater, 2)), report: report}

	// The meta pages belong to no tree.
	w.seen[0], w.seen[1] = true, true

	w.tree(c.meta.root, nil, nil, 0)
	for _, name := range buckets {
		t, ok, err := c.Bucket(name)
		switch {
		case err != nil:
			report(err.Error())
		case !ok && required(name):
			report(fmt.Sprintf("bucket %q is missing", name))
		case !ok:
		case t.root == 0:
			w.inline(t)
		default:
			w.tree(t.root, nil, nil, 0)
		}
	}

	if err := c.CheckFreelist(); err != nil {
		report(err.Error())
		return
	}
	w.claim(c.meta.freelist)
	w.unused()
}

// walker marks the pages of a commit that something uses.
type walker struct {
	c      *Commit
	seen   []bool
	report func(detail string)
}

// claim marks a page and its overflow as used, and reports whether nothing else uses them.
func (w *walker) claim(id uint64) bool {
	b, _, _, err := w.c.extent(id)
	if err != nil {
		w.report(err.Error())
		return false
	}
	for n := range uint64(len(b) / w.c.meta.PageSize) {
		if w.seen[id+n] {
			w.report(fmt.Sprintf("page %d is used twice", id+n))
			return false
		}
		w.seen[id+n] = true
	}
	return true
}

// tree visits the page id and all below it, whose keys are expected to lie between from and to.
func (w *walker) tree(id uint64, from, to []byte, depth int) {
	if depth == maxDepth {
		w.report(fmt.Sprintf("page %d is more than %d pages below its root", id, maxDepth))
		return
	}
	if !w.claim(id) {
		return
	}

	p, err := w.c.page(id)
	if err == nil {
		err = w.c.checkPage(p, from, to)
	}
	if err != nil {
		w.report(err.Error())
		return
	}

	if p.leaf {
		return
	}
	for i := range p.count {
		low, high := w.bounds(p, i, to)
		w.tree(p.child(i), low, high, depth+1)
	}
}

// bounds returns what the keys below element i of a checked branch lie between.
func (w *walker) bounds(p page, i int, to []byte) (low, high []byte) {
	low, err := w.c.key(p, i)
	if err == nil && i+1 < p.count {
		to, err = w.c.key(p, i+1)
	}
	if err != nil {
		panic("BUG: a key of a checked page cannot be read: " + err.Error())
	}
	return low, to
}

// inline checks the page inside the value of a small bucket.
func (w *walker) inline(t Tree) {
	p, err := t.rootPage()
	if err == nil {
		err = w.c.checkPage(p, nil, nil)
	}
	if err != nil {
		w.report(err.Error())
	}
}

// unused compares the pages that nothing uses with the list of free pages.
func (w *walker) unused() {
	free := w.c.freePages()
	lost := 0
	for id, used := range w.seen[:w.c.meta.HighWater] {
		switch {
		case used && free[id]:
			w.report(fmt.Sprintf("page %d is used, and listed as free", id))
		case !used && !free[id]:
			lost++
		}
	}
	if lost > 0 {
		w.report(fmt.Sprintf("%d pages are neither used nor listed as free", lost))
	}
}
