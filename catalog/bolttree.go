package catalog

import "encoding/binary"

// maxDepth bounds the way from a root to a leaf. A real tree of this depth would not fit on any disk.
const maxDepth = 48

// bucketHeader is the size of a bucket's value before an inline page: root page, sequence.
const bucketHeader = 16

// boltTree is one B+ tree of a snapshot: the tree of all buckets, or one bucket. The zero tree is empty.
type boltTree struct {
	s      *snapshot
	root   uint64
	inline []byte // the page itself, when the bucket is small; root is then 0
}

// roots returns the tree of all buckets.
func (s *snapshot) roots() boltTree { return boltTree{s: s, root: s.meta.root} }

// bucket returns the tree of a top-level bucket, and whether there is one.
func (s *snapshot) bucket(name string) (boltTree, bool, error) {
	cur := boltCursor{t: s.roots()}
	key, err := cur.seek([]byte(name))
	if err != nil || string(key) != name {
		return boltTree{}, false, err
	}
	value, isBucket, err := cur.value()
	if err != nil {
		return boltTree{}, false, err
	}
	if !isBucket || len(value) < bucketHeader {
		return boltTree{}, false, corrupt(s.path, "%q is not a bucket", name)
	}
	t := boltTree{s: s, root: binary.NativeEndian.Uint64(value)}
	if t.root == 0 {
		t.inline = value[bucketHeader:]
	}
	return t, true, nil
}

func (t boltTree) rootPage() (boltPage, error) {
	if t.root == 0 {
		return t.s.inlinePage(t.inline)
	}
	return t.s.page(t.root)
}

// get returns the value of key, nil when there is none, using a cursor of the caller. It is valid as long as the snapshot.
func (t boltTree) get(cur *boltCursor, key []byte) ([]byte, error) {
	if t.s == nil {
		return nil, nil
	}
	cur.t = t
	found, err := cur.seek(key)
	if err != nil || found == nil || string(found) != string(key) {
		return nil, err
	}
	value, isBucket, err := cur.value()
	if err == nil && isBucket {
		err = corrupt(t.s.path, "key %q holds a bucket", key)
	}
	return value, err
}

// step is a page on the way from the root to a leaf, and the element taken there.
type step struct {
	page boltPage
	i    int
	to   []byte // keys below this page are smaller; nil for no bound
}

// boltCursor walks through a tree in order. Every descent is at most maxDepth long, and keys only grow, so that it ends
// on any input.
type boltCursor struct {
	t     boltTree
	way   []step
	last  []byte // the key before, which the next one must exceed
	loads uint64 // leaves entered by next
	space [6]step
}

// seek goes to the first key that is not less than key; nil at the end.
func (c *boltCursor) seek(key []byte) ([]byte, error) {
	c.way, c.last, c.loads = c.space[:0], nil, 0
	p, err := c.t.rootPage()
	if err != nil {
		return nil, err
	}
	if err := c.descend(p, key, nil, nil); err != nil {
		return nil, err
	}
	return c.settle()
}

// descend goes from p, whose keys lie between from and to, to the leaf that would hold key.
func (c *boltCursor) descend(p boltPage, key, from, to []byte) error {
	for {
		if len(c.way) == maxDepth {
			return corrupt(c.t.s.path, "page %d is more than %d pages below the root", p.id, maxDepth)
		}
		if err := c.between(p, from, to); err != nil {
			return err
		}
		i, exact, err := c.t.s.search(p, key)
		if err != nil {
			return err
		}
		if p.leaf {
			c.way = append(c.way, step{p, i, to})
			return nil
		}
		if !exact && i > 0 {
			i--
		}
		c.way = append(c.way, step{p, i, to})
		if p, from, to, err = c.below(); err != nil {
			return err
		}
	}
}

// below returns the page under the last step and the bounds of its keys.
func (c *boltCursor) below() (p boltPage, from, to []byte, err error) {
	at := c.way[len(c.way)-1]
	if from, err = c.t.s.key(at.page, at.i); err != nil {
		return p, nil, nil, err
	}
	to = at.to
	if at.i+1 < at.page.count {
		if to, err = c.t.s.key(at.page, at.i+1); err != nil {
			return p, nil, nil, err
		}
	}
	p, err = c.t.s.page(at.page.child(at.i))
	return p, from, to, err
}

// between makes sure that the first and the last key of a page lie inside what its parent says.
func (c *boltCursor) between(p boltPage, from, to []byte) error {
	if p.count == 0 {
		return nil
	}
	first, err := c.t.s.key(p, 0)
	if err != nil {
		return err
	}
	last, err := c.t.s.key(p, p.count-1)
	if err != nil {
		return err
	}
	if string(first) < string(from) || to != nil && string(last) >= string(to) {
		return corrupt(c.t.s.path, "page %d holds keys that belong elsewhere", p.id)
	}
	return nil
}

// settle moves on to the next leaf while there is no element at the cursor, and returns its key.
func (c *boltCursor) settle() ([]byte, error) {
	for {
		at := &c.way[len(c.way)-1]
		if at.i < at.page.count {
			return c.here(at)
		}
		ok, err := c.nextLeaf()
		if !ok || err != nil {
			return nil, err
		}
	}
}

func (c *boltCursor) here(at *step) ([]byte, error) {
	key, err := c.t.s.key(at.page, at.i)
	if err != nil {
		return nil, err
	}
	if c.last != nil && string(key) <= string(c.last) {
		return nil, corrupt(c.t.s.path, "key %d of page %d is out of order", at.i, at.page.id)
	}
	c.last = key
	return key, nil
}

// nextLeaf goes to the first element of the next leaf, and reports whether there is one.
func (c *boltCursor) nextLeaf() (bool, error) {
	if c.loads++; c.loads > c.t.s.meta.highWater {
		return false, corrupt(c.t.s.path, "the tree of page %d runs in a circle", c.t.root)
	}
	for c.way = c.way[:len(c.way)-1]; len(c.way) > 0; c.way = c.way[:len(c.way)-1] {
		at := &c.way[len(c.way)-1]
		if at.i++; at.i < at.page.count {
			p, from, to, err := c.below()
			if err != nil {
				return false, err
			}
			return true, c.descend(p, nil, from, to)
		}
	}
	c.way = append(c.way, step{}) // an empty page: the end
	return false, nil
}

// next goes to the next key; nil at the end.
func (c *boltCursor) next() ([]byte, error) {
	at := &c.way[len(c.way)-1]
	if at.i < at.page.count {
		at.i++
	}
	return c.settle()
}

// value returns the value at the cursor, which is expected to be at a key, and whether it is a bucket.
func (c *boltCursor) value() (v []byte, isBucket bool, err error) {
	at := c.way[len(c.way)-1]
	return c.t.s.value(at.page, at.i)
}

// guard makes sure that bbolt can change key in the tree: it checks in full every page on the way to it, and the
// neighbours of those pages, into which bbolt may merge what a deletion leaves.
func (t boltTree) guard(key []byte, deletes bool) error {
	if t.s == nil {
		return nil
	}
	cur := boltCursor{t: t}
	p, err := t.rootPage()
	if err != nil {
		return err
	}
	if err := cur.descend(p, key, nil, nil); err != nil {
		return err
	}
	for _, at := range cur.way {
		if err := t.s.checkPage(at.page, nil, at.to); err != nil {
			return err
		}
		if at.page.leaf || !deletes {
			continue
		}
		for i := max(at.i-1, 0); i <= min(at.i+1, at.page.count-1); i++ {
			side, err := t.s.page(at.page.child(i))
			if err != nil {
				return err
			}
			if err := t.s.checkPage(side, nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
