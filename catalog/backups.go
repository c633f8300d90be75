package catalog

import (
	"slices"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// backupsKey is a key of its own in bucket meta: programs that don't know it leave it as it is.
var backupsKey = []byte("backups")

// maxBackups is how many backups a catalog knows.
const maxBackups = 256

// backups are random numbers of the backups that were made of the catalog, those used last at the
// end. A catalog that knows a backup is one that the state which was backed up has become. If it
// was rolled back to before that, it does not know it, and its counts of changes and generations
// may stand for other elements than those in the backup.
func (tx *Tx) backups() (ids []ID, err error) {
	message, err := tx.metas.get(backupsKey)
	if err != nil {
		return nil, err
	}
	err = wire.Decode(message, &ids, idFields)
	return ids, tx.metas.bad(backupsKey, err)
}

// idFields codes a list of ids.
func idFields(ids *[]ID, c *wire.Coder) {
	if c.Writing() {
		for _, id := range *ids {
			c.Array(1, true, id[:])
		}
		return
	}
	for id := (ID{}); c.Array(1, false, id[:]); {
		*ids = append(*ids, id)
	}
}

// KnowsBackup reports whether a backup was made of a state that has become this one. It may say no
// of one that was used last before 256 others.
func (tx *Tx) KnowsBackup(id ID) (bool, error) {
	ids, err := tx.backups()
	return slices.Contains(ids, id), err
}

// AddBackup notes that a backup is made of the state before this transaction, and follows an
// earlier one.
func (tx *Tx) AddBackup(id, follows ID) error {
	if err := tx.writing(); err != nil {
		return err
	}
	ids, err := tx.backups()
	if err != nil {
		return err
	}
	if at := slices.Index(ids, follows); at >= 0 { // it is used now, and stays
		ids = append(slices.Delete(ids, at, at+1), follows)
	}
	ids = append(ids, id)
	ids = ids[max(0, len(ids)-maxBackups):]
	return tx.metas.put(backupsKey, wire.Encode(&ids, idFields))
}
