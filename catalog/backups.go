package catalog

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// backupsKey is a key of its own in bucket meta: programs that don't know it leave it as it is.
var backupsKey = []byte("backups")

// maxBackups is how many backups a catalog knows.
const maxBackups = 256

// backups are random numbers of the backups that were made of the catalog, those used last at the end. A catalog that
// knows a backup is one that the state which was backed up has become. If it was rolled back to before that, it does
// not know it, and its counts of changes and generations may stand for other elements than those in the backup.
func (tx *Tx) backups() (ids []ID, err error) {
	message, err := tx.metas.get(backupsKey)
	if err != nil {
		return nil, err
	}
	for f, err := range fields(message) {
		if err == nil && f.is(1, protowire.BytesType) {
			var id ID
			id, err = wireID(f.b)
			ids = append(ids, id)
		}
		if err != nil {
			return nil, tx.metas.bad(backupsKey, err)
		}
	}
	return ids, nil
}

// KnowsBackup reports whether a backup was made of a state that has become this one. It may say no of one that was used
// last before 256 others.
func (tx *Tx) KnowsBackup(id ID) (bool, error) {
	ids, err := tx.backups()
	return slices.Contains(ids, id), err
}

// AddBackup notes that a backup is made of the state before this transaction, and follows an earlier one.
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
	var message []byte
	for _, id := range ids[max(0, len(ids)-maxBackups):] {
		message = appendBytes(message, 1, id[:])
	}
	return tx.metas.put(backupsKey, message)
}
