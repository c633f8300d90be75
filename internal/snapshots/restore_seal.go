package snapshots

import "github.com/tstore/tstore/catalog"

// reseal seals a storage that has the file of the snapshot if it was sealed there, and unseals it
// otherwise. The bytes are the same, because the files of a snapshot don't change.
func (r *restoring) reseal(c *catalog.Tx, f *heldFile, old catalog.Storage) error {
	st := old
	st.Written = max(old.Written, old.PayloadBytes)

	if old.State == catalog.Clean && (f.seal == nil) != (old.Seal == nil) {
		// Others than the restored tensors keep the seal that they see.
		shared, err := r.hasOthers(c, old.ID)
		if err != nil {
			return err
		}

		switch {
		case f.seal == nil:
			if !shared {
				st.Seal = nil
			}
		case f.seal.PayloadBytes == old.PayloadBytes:
			st.Seal = f.seal
		case !shared && f.storage.PayloadBytes == f.seal.PayloadBytes:
			// Nobody has the rows that were appended after it was unsealed.
			st.PayloadBytes, st.Seal = f.seal.PayloadBytes, f.seal
			r.touched[old.ID] = true
		}
		r.resealed[old.ID] = st.Seal != old.Seal
	}

	return c.RestoreStorage(st)
}

// hasOthers reports whether names that are not restored use a storage.
func (r *restoring) hasOthers(c *catalog.Tx, id catalog.ID) (bool, error) {
	if r.all {
		return false, nil
	}
	names, err := c.Sharers(id, 0)
	for _, name := range names {
		if !r.wanted[name] {
			return true, err
		}
	}
	return false, err
}
