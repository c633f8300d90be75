package boltfile

import "encoding/binary"

// maxDepth bounds the way from a root to a leaf. A real tree of this depth would not fit on any
// disk.
const maxDepth = 48

// bucketHeader is the size of a bucket's value before an inline page: root page, sequence.
const bucketHeader = 16

// Tree is one B+ tree of a commit: that of all buckets, or one bucket. The zero Tree is empty.
type Tree struct {
	c      *Commit
	root   uint64
	inline []byte // the page itself, when the bucket is small; root is then 0
}

// Buckets returns the tree of all top-level buckets, by name.
func (c *Commit) Buckets() Tree { return Tree{c: c, root: c.meta.root} }

// Bucket returns the tree of a top-level bucket, and whether there is one.
func (c *Commit) Bucket(name string) (Tree, bool, error) {
	cur := c.Buckets().Cursor()
	key, err := cur.Seek([]byte(name))
	if err != nil || string(key) != name {
		return Tree{}, false, err
	}

	value, isBucket, err := cur.Value()
	if err != nil {
		return Tree{}, false, err
	}
	if !isBucket || len(value) < bucketHeader {
		return Tree{}, false, c.damaged("%q is not a bucket", name)
	}

	// A small bucket has no page of its own: its page follows the header in the value.
	t := Tree{c: c, root: binary.NativeEndian.Uint64(value)}
	if t.root == 0 {
		t.inline = value[bucketHeader:]
	}
	return t, true, nil
}

// Cursor returns a cursor over the tree, which stands nowhere before its first Seek.
func (t Tree) Cursor() Cursor { return Cursor{t: t} }

// Get returns the value of key, nil if there is none. It uses, and moves, a cursor of the caller.
// The value is valid as long as the commit's data is.
func (t Tree) Get(cur *Cursor, key []byte) ([]byte, error) {
	cur.t = t
	found, err := cur.Seek(key)
	if err != nil || found == nil || string(found) != string(key) {
		return nil, err
	}
	value, isBucket, err := cur.Value()
	if err == nil && isBucket {
		err = t.c.damaged("key %q holds a bucket", key)
	}
	return value, err
}

// Guard makes sure that bbolt can change key in the tree: it checks in full every page on the way
// to it. For deletions it checks the neighbours of those pages as well, since bbolt may merge into
// them what a deletion leaves.
func (t Tree) Guard(key []byte, deletes bool) error {
	if t.c == nil {
		return nil
	}

	// Find the way from the root to the leaf.
	cur := t.Cursor()
	p, err := t.rootPage()
	if err != nil {
		return err
	}
	if err := cur.descend(p, key, nil, nil); err != nil {
		return err
	}

	// Check each page on the way, and for a deletion the neighbours of the pages below.
	for _, at := range cur.way {
		if err := t.c.checkPage(at.page, nil, at.to); err != nil {
			return err
		}
		if at.page.leaf || !deletes {
			continue
		}
		for i := max(at.i-1, 0); i <= min(at.i+1, at.page.count-1); i++ {
			side, err := t.c.page(at.page.child(i))
			if err != nil {
				return err
			}
			if err := t.c.checkPage(side, nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t Tree) rootPage() (page, error) {
	if t.root == 0 {
		return t.c.inlinePage(t.inline)
	}
	return t.c.page(t.root)
}
