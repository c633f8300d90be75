package tstore

// seals reports whether the checksums of its elements are to be recorded.
func (src Source) seals() bool { return src.Seal && src.Data != nil }

// seal seals a staged storage whose payload has been written, if it is to be.
func (tx *Tx) seal(st *staged) error {
	if st.sums == nil {
		return nil
	}
	sums, err := st.sums.Sums(st.storage.PayloadBytes)
	if err != nil {
		return err
	}
	files, err := tx.store.eng.stageSeal(&st.storage, sums)
	tx.files = append(tx.files, files...)
	return err
}
