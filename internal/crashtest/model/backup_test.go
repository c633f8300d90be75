package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tstore/tstore"
)

// backups are what was backed up of the present store.
type backups struct {
	folders map[string]*state
	tars    []string // each since the one before, or a whole one
	tarred  *state
	made    int
}

// noJobs is the state without what a backup does not have.
func (s *state) backedUp() *state { return s.clone() }

// backup backs up into a folder, and looks whether it has all of the store.
func (w *world) backup(st step) error {
	dir := filepath.Join(w.dir, fmt.Sprintf("backup%d.%d", w.stores, st.Count))
	if leftOut("backups") {
		return nil
	}
	if _, err := w.handles[st.Handle].Backup(w.ctx, dir, nil); err != nil {
		if w.contended(err) || w.model.anyCut() {
			return nil
		}
		return fmt.Errorf("it failed: %w", err)
	}
	if w.copies.folders == nil {
		w.copies.folders = map[string]*state{}
	}
	w.copies.folders[dir] = w.model.backedUp()
	if w.model.anyCut() {
		return w.intact(dir) // it had the file already
	}
	w.done[st.Do]++
	if err := w.intact(dir); err != nil {
		return err
	}
	s, err := tstore.Open(w.ctx, dir, nil)
	if err != nil {
		return err
	}
	return errors.Join(same(w, s, w.model), s.Close())
}

// same says how a store differs from a state.
func same(w *world, s *tstore.Store, want *state) error {
	err := compare(w.ctx, s, want, "", nil)
	if err == nil {
		err = compareSnapshots(w.ctx, s, want.snaps)
	}
	if err == nil {
		err = sound(w.ctx, s)
	}
	if err != nil {
		return fmt.Errorf("in %s: %w", filepath.Base(s.Dir()), err)
	}
	return nil
}

func (w *world) intact(backup string) error {
	r, err := tstore.VerifyBackup(w.ctx, backup, nil)
	if err == nil && len(r.Damage) > 0 {
		err = fmt.Errorf("%v", r.Problems())
	}
	if err != nil {
		return fmt.Errorf("verify %s: %w", filepath.Base(backup), err)
	}
	return nil
}

// tar backs up into a tar file, since the one before if Flag is set, and restores it to look what
// it has.
func (w *world) tar(st step) error {
	if leftOut("backups") {
		return nil
	}
	w.copies.made++
	file := filepath.Join(w.dir, fmt.Sprintf("tar%d.%d.tar", w.stores, w.copies.made))
	o := &tstore.BackupOptions{}
	if n := len(w.copies.tars); st.Flag && n > 0 {
		o.Since = w.copies.tars[n-1]
	} else {
		w.copies.tars = nil
	}
	if _, err := w.handles[st.Handle].Backup(w.ctx, file, o); err != nil {
		if w.contended(err) || w.model.anyCut() {
			return nil
		}
		return fmt.Errorf("it failed: %w", err)
	}
	if w.model.anyCut() {
		w.copies.tars = nil
		return w.intact(file) // one before has the file
	}
	w.done[st.Do]++
	w.copies.tars, w.copies.tarred = append(w.copies.tars, file), w.model.backedUp()
	if err := w.intact(file); err != nil {
		return err
	}
	dir := filepath.Join(w.dir, "restored")
	s, err := w.restored(w.copies.tars, dir)
	if err != nil {
		return err
	}
	return errors.Join(same(w, s, w.model), s.Close(), os.RemoveAll(dir))
}

func (w *world) restored(from []string, dir string) (*tstore.Store, error) {
	if _, err := tstore.Restore(w.ctx, from, dir, nil); err != nil {
		return nil, err
	}
	return tstore.Open(w.ctx, dir, nil)
}

// comeBack restores the newest backup, and goes on with that.
func (w *world) comeBack(st step) error {
	from, then := w.copies.tars, w.copies.tarred
	for dir, was := range w.copies.folders {
		from, then = []string{dir}, was
	}
	if then == nil || !w.quiet() {
		return nil
	}
	if err := w.close(); err != nil {
		return err
	}
	w.stores++
	w.cuts = map[string]int64{}
	then.mend()
	s, err := w.restored(from, w.store())
	if err != nil {
		return err
	}
	if err := errors.Join(same(w, s, then), s.Close(), w.open()); err != nil {
		return err
	}
	w.done[st.Do]++
	w.model, w.copies, w.versions = then.clone(), backups{}, map[version]uint64{}
	for _, b := range w.model.bufs {
		b.restored = true
	}
	return nil
}
