package catalog

import "fmt"

// walker visits every page of a snapshot once. It reports what bbolt's Tx.Check would, but never trusts a page: that one
// recurses without end on a circle of pages.
type walker struct {
	s    *snapshot
	seen []bool
	add  func(detail string)
}

// pages checks the pages of the file.
func (ck *check) pages(s *snapshot) {
	w := &walker{s: s, seen: make([]bool, s.meta.highWater), add: func(detail string) {
		ck.add(Problem{Kind: ProblemPages, Detail: detail})
	}}
	w.run()
}

func (w *walker) run() {
	w.seen[0], w.seen[1] = true, true
	w.tree(w.s.meta.root, nil, nil, 0)
	for _, name := range allBuckets {
		t, ok, err := w.s.bucket(name)
		switch {
		case err != nil:
			w.add(err.Error())
		case !ok && optionalBuckets[name]:
		case !ok:
			w.add(fmt.Sprintf("bucket %q is missing", name))
		case t.root == 0:
			w.inline(t)
		default:
			w.tree(t.root, nil, nil, 0)
		}
	}
	if err := w.s.checkFreelist(); err != nil {
		w.add(err.Error())
		return
	}
	w.claim(w.s.meta.freelist)
	w.unused()
}

// claim marks a page and its overflow as used, and reports whether it was free to be used.
func (w *walker) claim(id uint64) bool {
	b, _, _, err := w.s.extent(id)
	if err != nil {
		w.add(err.Error())
		return false
	}
	for n := range uint64(len(b) / w.s.meta.pageSize) {
		if w.seen[id+n] {
			w.add(fmt.Sprintf("page %d is used twice", id+n))
			return false
		}
		w.seen[id+n] = true
	}
	return true
}

// tree visits the page id and all below it, whose keys are expected to lie between from and to.
func (w *walker) tree(id uint64, from, to []byte, depth int) {
	if depth == maxDepth {
		w.add(fmt.Sprintf("page %d is more than %d pages below its root", id, maxDepth))
		return
	}
	if !w.claim(id) {
		return
	}
	p, err := w.s.page(id)
	if err == nil {
		err = w.s.checkPage(p, from, to)
	}
	if err != nil {
		w.add(err.Error())
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
func (w *walker) bounds(p boltPage, i int, to []byte) (low, high []byte) {
	low, err := w.s.key(p, i)
	if err == nil && i+1 < p.count {
		to, err = w.s.key(p, i+1)
	}
	if err != nil {
		panic("BUG: a key of a checked page cannot be read: " + err.Error())
	}
	return low, to
}

func (w *walker) inline(t boltTree) {
	p, err := t.rootPage()
	if err == nil {
		err = w.s.checkPage(p, nil, nil)
	}
	if err != nil {
		w.add(err.Error())
	}
}

// unused compares the pages that nothing uses with the list of free pages.
func (w *walker) unused() {
	free := w.s.freePages()
	lost := 0
	for id, used := range w.seen {
		switch {
		case used && free[id]:
			w.add(fmt.Sprintf("page %d is used, and listed as free", id))
		case !used && !free[id]:
			lost++
		}
	}
	if lost > 0 {
		w.add(fmt.Sprintf("%d pages are neither used nor listed as free", lost))
	}
}
