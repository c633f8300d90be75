package catalog

import (
	"bytes"
	"fmt"
)

// DefaultListLimit is the page size of List when none is asked for.
const DefaultListLimit = 1000

// Item is one line of a listing.
type Item struct {
	Name    string // full name of the value or group
	IsGroup bool
	Record  Record // the zero Record for groups
}

// List returns one page of the items in group, in order. "" is the root. The page has up to limit
// items after the one named after, or the first ones if after is "". A limit of 0 or less means
// DefaultListLimit. Pass the last item's Name to get the next page. A page shorter than limit is
// the last. Without recursive, each sub-group is one item, and what it holds is skipped without
// being read. With recursive, all values appear and no groups. A group that does not exist is
// empty. Names compare by their parts, so a group's contents follow it directly.
func (tx *Tx) List(group, after string, recursive bool, limit int) ([]Item, error) {
	if err := checkGroup(group); err != nil {
		return nil, err
	}

	prefix := groupKey(group)
	from, err := listStart(group, after, recursive)
	if err != nil {
		return nil, err
	}

	if limit <= 0 {
		limit = DefaultListLimit
	}

	var items []Item
	cur := tx.names.cursor()
	key, value, err := cur.seek(from)
	for err == nil && len(items) < limit && key != nil && bytes.HasPrefix(key, prefix) {
		if sub := subGroup(key, prefix); sub != nil && !recursive {
			name, bad := keyName(sub)
			if bad != nil {
				return items, tx.names.bad(key, bad)
			}
			items = append(items, Item{Name: name, IsGroup: true})
			key, value, err = cur.seek(append(sub, separator+1))
			continue
		}

		r, bad := tx.record(key, value)
		if bad != nil {
			return items, bad
		}
		items = append(items, Item{Name: r.Name, Record: r})
		key, value, err = cur.nextAfter(key)
	}

	return items, err
}

// listStart returns the first key of a page.
func listStart(group, after string, recursive bool) ([]byte, error) {
	prefix := groupKey(group)
	if after == "" {
		return prefix, nil
	}
	if err := CheckName(after); err != nil {
		return nil, err
	}
	key := nameKey(after)
	if !bytes.HasPrefix(key, prefix) {
		return nil, fmt.Errorf("%w: list %q after %q, which lies outside it", ErrInvalid, group, after)
	}
	if recursive {
		return append(key, separator), nil
	}
	return pastGroup(after), nil
}

// subGroup returns the key of the group directly below prefix that key lies in, nil when it lies in
// none. Appending to it leaves key alone.
func subGroup(key, prefix []byte) []byte {
	i := bytes.IndexByte(key[len(prefix):], separator)
	if i < 0 {
		return nil
	}
	end := len(prefix) + i
	return key[:end:end]
}
