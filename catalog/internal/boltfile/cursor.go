package boltfile

// Cursor walks through a tree in the order of its keys. Every descent is at most maxDepth pages
// long, and keys only grow, so a walk ends on any input. A cursor belongs to one goroutine.
type Cursor struct {
	t     Tree
	way   []step
	last  []byte // the key before, which the next one must exceed
	loads uint64 // leaves entered by Next
	space [6]step
}

// step is a page on the way from the root to a leaf, and the element taken there.
type step struct {
	page page
	i    int
	to   []byte // keys below this page are smaller; nil for no bound
}

// Seek goes to the first key that is not less than key, and returns it; nil at the end.
func (c *Cursor) Seek(key []byte) ([]byte, error) {
	c.way, c.last, c.loads = c.space[:0], nil, 0
	if c.t.c == nil {
		return nil, nil
	}
	p, err := c.t.rootPage()
	if err != nil {
		return nil, err
	}
	if err := c.descend(p, key, nil, nil); err != nil {
		return nil, err
	}
	return c.nextElement()
}

// Next goes to the next key and returns it; nil at the end. It follows a Seek that found a key.
func (c *Cursor) Next() ([]byte, error) {
	at := &c.way[len(c.way)-1]
	if at.i < at.page.count {
		at.i++
	}
	return c.nextElement()
}

// Value returns the value of the key that Seek or Next returned last, and whether it is a bucket.
func (c *Cursor) Value() (v []byte, isBucket bool, err error) {
	at := c.way[len(c.way)-1]
	return c.t.c.value(at.page, at.i)
}

// descend goes from p, whose keys lie between from and to, to the leaf that would hold key.
func (c *Cursor) descend(p page, key, from, to []byte) error {
	for {
		if len(c.way) == maxDepth {
			return c.t.c.damaged("page %d is more than %d pages below the root", p.id, maxDepth)
		}

		// bbolt takes the order of keys on trust, so check it before searching by it.
		if err := c.between(p, from, to); err != nil {
			return err
		}
		i, exact, err := c.t.c.search(p, key)
		if err != nil {
			return err
		}
		if p.leaf {
			c.way = append(c.way, step{p, i, to})
			return nil
		}

		// A key between two elements lies below the lower one.
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
func (c *Cursor) below() (p page, from, to []byte, err error) {
	at := c.way[len(c.way)-1]
	if from, err = c.t.c.key(at.page, at.i); err != nil {
		return p, nil, nil, err
	}
	to = at.to
	if at.i+1 < at.page.count {
		if to, err = c.t.c.key(at.page, at.i+1); err != nil {
			return p, nil, nil, err
		}
	}
	p, err = c.t.c.page(at.page.child(at.i))
	return p, from, to, err
}

// between makes sure that the first and the last key of a page lie inside what its parent says.
func (c *Cursor) between(p page, from, to []byte) error {
	if p.count == 0 {
		return nil
	}
	first, err := c.t.c.key(p, 0)
	if err != nil {
		return err
	}
	last, err := c.t.c.key(p, p.count-1)
	if err != nil {
		return err
	}
	if string(first) < string(from) || to != nil && string(last) >= string(to) {
		return c.t.c.damaged("page %d holds keys that belong elsewhere", p.id)
	}
	return nil
}

// nextElement moves on to the next leaf while there is no element at the cursor, and returns the
// key of the element that it finds; nil at the end.
func (c *Cursor) nextElement() ([]byte, error) {
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

// here returns the key at the cursor, which must exceed the one before.
func (c *Cursor) here(at *step) ([]byte, error) {
	key, err := c.t.c.key(at.page, at.i)
	if err != nil {
		return nil, err
	}
	if c.last != nil && string(key) <= string(c.last) {
		return nil, c.t.c.damaged("key %d of page %d is out of order", at.i, at.page.id)
	}
	c.last = key
	return key, nil
}

// nextLeaf goes to the first element of the next leaf, and reports whether there is one.
func (c *Cursor) nextLeaf() (bool, error) {
	if c.loads++; c.loads > c.t.c.meta.HighWater {
		return false, c.t.c.damaged("the tree of page %d runs in a circle", c.t.root)
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
