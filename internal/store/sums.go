package store

import "github.com/tstore/tstore/internal/engine"

// seals reports whether the checksums of its elements are to be recorded.
func (src Source) seals() bool { return src.Seal && src.Data != nil }

// seal seals a staged storage whose payload has been written, if it has sums.
func (tx *Tx) seal(st *engine.Staged) error {
	if st.Sums == nil {
		return nil
	}
	sums, err := st.Sums.Sums(st.Storage.PayloadBytes)
	if err != nil {
		return err
	}
	files, err := tx.Base.Engine.StageSeal(&st.Storage, sums)
	tx.Files = append(tx.Files, files...)
	return err
}
