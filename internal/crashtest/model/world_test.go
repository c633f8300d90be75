package model

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// world is a store, and all that is known of it and of what was made of it.
type world struct {
	ctx     context.Context
	dir     string // of everything
	stores  int    // how many stores there have been
	handles []*tstore.Store
	model   *state
	commits int
	begun   int
	adopted int
	txs     map[int]*openTx
	readers []*reader
	// writings are tensors that are open to be written in place, the one that was opened first
	// first.
	writings []*writing
	copies   backups
	// versions are what each version of a tensor showed, past everything that tensors ever showed.
	versions map[version]uint64
	past     map[uint64]bool
	summed   map[[3]int]bool
	// cuts are the data files that were made shorter, and how long they are.
	cuts map[string]int64
	done map[string]int
	// fresh is the name of what has just been computed.
	fresh string
}

// version is what tells the elements of a tensor from those that it had before, and from those of
// others: staleness and jobs go by it.
type version struct {
	name    string
	number  uint64
	storage catalog.ID
	created int64
}

const lockTimeout = 150 * time.Millisecond

// newWorld makes an empty store below dir.
func newWorld(ctx context.Context, dir string) (*world, error) {
	w := &world{
		ctx: ctx, dir: dir, model: newState(), txs: map[int]*openTx{}, versions: map[version]uint64{},
		past: map[uint64]bool{}, summed: map[[3]int]bool{}, done: map[string]int{}, cuts: map[string]int64{},
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s, err := tstore.Init(ctx, w.store(), &tstore.Options{Durability: tstore.DurabilityNone})
	if err != nil {
		return nil, err
	}
	return w, errors.Join(s.Close(), os.Mkdir(w.files(), 0o755), w.open())
}

func (w *world) store() string { return filepath.Join(w.dir, fmt.Sprintf("store%d", w.stores)) }
func (w *world) files() string { return filepath.Join(w.dir, "files") }

// nextFile is the name of a file to be adopted.
func (w *world) nextFile() string {
	w.adopted++
	return fmt.Sprintf("f%d.bin", w.adopted)
}

// open opens two handles, as two processes have.
func (w *world) open() error {
	for range 2 {
		s, err := tstore.Open(w.ctx, w.store(), &tstore.Options{LockTimeout: lockTimeout})
		if err != nil {
			return err
		}
		w.handles = append(w.handles, s)
	}
	return nil
}

func (w *world) close() error {
	var errs []error
	for n := range w.txs {
		w.txs[n].end(false)
	}
	clear(w.txs)
	for _, x := range w.writings {
		if err := x.tensor.Close(); !errors.Is(err, tstore.ErrConflict) {
			errs = append(errs, err)
		}
	}
	for _, r := range w.readers {
		errs = append(errs, r.tensor.Close())
	}
	for _, s := range w.handles {
		errs = append(errs, s.Close())
	}
	w.readers, w.writings, w.handles = nil, nil, nil
	return errors.Join(errs...)
}

// run does a step, and says how what is there then differs from the model.
func (w *world) run(st step) error {
	special := map[string]func(step) error{
		"begin": w.begin, "commit": w.end, "abort": w.end, "open": w.openReader, "close": w.closeReader, "reopen": w.reopen,
		"hold": w.hold, "store": w.write, "release": w.release,
		"touch": w.touch, "cut": w.cut, "backup": w.backup, "tar": w.tar, "return": w.comeBack, "salvage": w.salvage,
	}
	var err error
	if act := special[st.Do]; act != nil {
		err = act(st)
	} else if st.Tx > 0 {
		err = w.inside(st)
	} else {
		err = w.plain(st)
	}
	if err != nil {
		return err
	}
	return w.look(st)
}

// plain does a step outside of transactions.
func (w *world) plain(st step) error {
	if st.Fail > 0 && w.quiet() && effects[st.Do] != nil {
		return w.faulty(st)
	}
	err := do(w.ctx, w.handles[st.Handle], st, w.files())
	for try := 0; errors.Is(err, tstore.ErrLockTimeout) && w.quiet() && try < 5; try++ {
		err = do(w.ctx, w.handles[st.Handle], st, w.files()) // the machine is slow
	}
	return w.judge(st, err)
}

// judge compares what became of a step with what the model says, and takes over what it did.
func (w *world) judge(st step, err error) error {
	next, expected := w.model.after(st)
	switch {
	case err == nil && expected != nil:
		return fmt.Errorf("it was accepted, expected: %v", expected)
	case err != nil && expected == nil && !w.contended(err) && !w.unsure(st) && !errors.Is(err, tstore.ErrQuarantined):
		return fmt.Errorf("it failed: %w", err)
	case err == nil:
		w.accept(st, next)
	}
	return nil
}

// accept takes over what a step has done.
func (w *world) accept(st step, next *state) {
	w.done[st.Do]++
	w.commits++
	w.model = next
	if st.Do == "define" || st.Do == "redo" {
		w.fresh = st.Name
	}
	for _, x := range next.written {
		for _, r := range w.readers {
			r.maySee(x)
		}
	}
	next.written = nil
}

// contended reports whether an error may be due to a transaction, or a writer in place, that is
// open.
func (w *world) contended(err error) bool {
	return !w.quiet() && (errors.Is(err, tstore.ErrLockTimeout) || errors.Is(err, tstore.ErrConflict) || errors.Is(err, tstore.ErrBusy) || errors.Is(err, tstore.ErrDirty))
}

// unsure reports whether a step may fail or not.
func (w *world) unsure(st step) bool {
	if st.Do == "update" {
		return true // it can't read what it has changed
	}
	o := w.model.names[st.Name]
	if slices.Contains([]string{"bring", "restore", "keep", "define", "fill", "set", "write", "hold", "eval"}, st.Do) && w.model.anyCut() {
		return true // whether it has to read the file is for the store to say
	}
	if st.Do == "define" && len(w.model.adopted) > 0 {
		return true // likewise, of an adopted file that has changed
	}
	return st.Do == "redo" && o != nil && o.unsure
}

func (w *world) begin(st step) error {
	if len(w.txs) < 2 && w.txs[st.Count] == nil {
		w.txs[st.Count] = beginTx(w.ctx, w.handles[st.Handle], w.files(), w.commits)
	}
	return nil
}

// inside does a step in a transaction. What it may say depends on what the transaction has read and
// changed.
func (w *world) inside(st step) error {
	if tx := w.txs[st.Tx]; tx != nil {
		_ = tx.do(st)
	}
	return nil
}

// end ends a transaction. One that commits has the effect of its steps, one after the other, at
// that moment.
func (w *world) end(st step) error {
	tx := w.txs[st.Tx]
	if tx == nil {
		return nil
	}
	delete(w.txs, st.Tx)
	err := tx.end(st.Do == "commit")
	if st.Do == "abort" || err != nil && tx.failed {
		return nil
	}
	next, expected := w.model.within(tx.steps)
	switch {
	case err == nil && expected != nil:
		return fmt.Errorf("it was accepted, expected: %v", expected)
	case err != nil && expected == nil && tx.since == w.commits && w.quiet():
		return fmt.Errorf("it failed: %w", err)
	case err == nil:
		w.accept(st, next)
	}
	return nil
}

func (w *world) reopen(step) error {
	if !w.quiet() {
		return nil
	}
	return errors.Join(w.close(), w.open())
}

// touch changes an adopted file.
func (w *world) touch(st step) error {
	o, b, err := w.model.tensor(st.Name)
	if err != nil || b.file == "" || o == nil {
		return nil
	}
	w.model.adopted[b.file]++
	return os.WriteFile(filepath.Join(w.files(), b.file), []byte("other bytes, and more of them"), 0o644)
}

// look compares everything with the model.
func (w *world) look(st step) error {
	if err := errors.Join(w.settle(st), w.markCut(), w.markWritten()); err != nil {
		return err
	}
	if st.Do == "cut" {
		if err := w.tells(w.handles[0]); err != nil {
			return err
		}
	}
	s := w.handles[w.commits%len(w.handles)]
	if err := compare(w.ctx, s, w.model, "", w.seen); err != nil {
		return err
	}
	if slices.Contains([]string{"restore", "bring", "keep", "forget", "gc", "return"}, st.Do) || w.commits%8 == 0 {
		if err := compareSnapshots(w.ctx, s, w.model.snaps); err != nil {
			return err
		}
	}
	for _, r := range w.readers {
		if err := r.check(w.model); err != nil && !leftOut("readers") {
			return err
		}
	}
	w.remember(w.model)
	return w.checkStale(s)
}

// seen notes what a version of a name shows.
func (w *world) seen(name string, info *tstore.Info, v value) error {
	key, sum := version{name, info.Version(), info.Record.Storage, info.Record.Created.UnixNano()}, v.sum()
	if before, known := w.versions[key]; known && before != sum && !leftOut("versions") {
		return fmt.Errorf("version %d of the same tensor was seen before with other elements than %v", key.number, v)
	}
	w.versions[key] = sum
	w.past[sum] = true
	return nil
}

// remember notes what all buffers of a state have, as the headers of their files say it.
func (w *world) remember(s *state) {
	for _, b := range s.bufs {
		key := [3]int{b.id, b.content, len(b.vals)}
		if !w.summed[key] {
			w.summed[key] = true
			w.past[b.value().sum()] = true
			for _, sum := range b.beginnings() {
				w.past[sum] = true
			}
		}
	}
}

// checkStale compares what the store says of tensors that were computed.
func (w *world) checkStale(s *tstore.Store) error {
	defer func() { w.fresh = "" }()
	for _, name := range w.model.sorted() {
		o := w.model.names[name]
		if o.made == nil {
			continue
		}
		f, err := s.Formula(w.ctx, name)
		if err != nil {
			return fmt.Errorf("formula of %s: %w", name, err)
		}
		stale := w.model.stale(name)
		fresh := w.fresh == name
		switch {
		case f != nil && stale && !f.Stale && !leftOut("stale"):
			return fmt.Errorf("%s is said not to be stale, but it, or what it was made of, has changed", name)
		case f != nil && !stale && f.Stale && fresh && !w.staleInput(o):
			return fmt.Errorf("%s is said to be stale as soon as it is made", name)
		}
	}
	return nil
}

func (w *world) staleInput(o *object) bool {
	for in := range o.made.inputs {
		if x := w.model.names[in]; x == nil || x.made != nil {
			return true
		}
	}
	return false
}

// settle asks the store what only it can say: which tensors share a file after a snapshot was
// brought back, and what is sealed together with what.
func (w *world) settle(st step) error {
	ids := map[int]map[string][]string{}
	for _, name := range w.model.sorted() {
		o := w.model.names[name]
		if o.kind != catalog.KindTensor {
			continue
		}
		e, err := w.handles[0].Lookup(w.ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if e.Record.Kind != catalog.KindTensor {
			return fmt.Errorf("%s is a %v, expected a tensor", name, e.Record.Kind)
		}
		b := w.model.bufs[o.buf]
		sealed := e.Storage.Seal != nil
		if name == st.Name && st.Tx == 0 && slices.Contains([]string{"seal", "unseal", "import", "append"}, st.Do) && sealed != b.sealed {
			return fmt.Errorf("%s: sealed is %v, expected %v", name, sealed, b.sealed)
		}
		b.sealed = sealed
		if ids[b.id] == nil {
			ids[b.id] = map[string][]string{}
		}
		id := e.Record.Storage.String()
		ids[b.id][id] = append(ids[b.id][id], name)
	}
	for id, files := range ids {
		if len(files) > 1 && w.model.bufs[id].restored {
			w.model.split(id, files)
		}
	}
	return nil
}

// split gives tensors that no longer share a file buffers of their own.
func (s *state) split(id int, files map[string][]string) {
	for _, names := range files {
		b := *s.bufs[id]
		b.id, b.splitOf = s.number(), b.origin()
		s.bufs[b.id] = &b
		for _, name := range names {
			o := *s.names[name]
			o.buf = b.id
			s.names[name] = &o
		}
	}
	s.drop()
}
