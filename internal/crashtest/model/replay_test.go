package model

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// operation is a step of a worker, with all that the logs say of it.
type operation struct {
	worker, op int
	step       step
	begin, end int64 // the size of the file of commits
	ended      bool
	kind, text string
	got        map[string]sight
	lines      []int // its commits
}

func (o *operation) String() string {
	return fmt.Sprintf("worker %d, step %d (commits %v): %v", o.worker, o.op, o.lines, o.step)
}

// replay repeats a history of several processes in the model.
type replay struct {
	ops     []*operation
	commits []commit
	last    uint64 // the number of the store's last commit
	// states are those after so many commits.
	states []*state
	seen   map[version]uint64
}

// loadReplay reads the logs of a history.
func loadReplay(dir string, last uint64) (*replay, error) {
	r := &replay{last: last, seen: map[version]uint64{}}
	files, err := filepath.Glob(filepath.Join(dir, "worker*"))
	if err != nil {
		return nil, err
	}
	byKey := map[[2]int]*operation{}
	for _, file := range files {
		var n int
		fmt.Sscanf(filepath.Base(file), "worker%d", &n)
		err := readLines(file, func(_ int64, e entry) {
			key := [2]int{n, e.Op}
			if e.Step != nil {
				byKey[key] = &operation{worker: n, op: e.Op, step: *e.Step, begin: e.At, end: 1 << 62}
				r.ops = append(r.ops, byKey[key])
				return
			}
			o := byKey[key]
			o.end, o.ended, o.kind, o.text, o.got = e.At, true, e.Kind, e.Error, e.Got
		})
		if err != nil {
			return nil, err
		}
	}
	err = readLines(commitsFile(dir), func(at int64, c commit) {
		c.at = at
		if o := byKey[[2]int{c.Worker, c.Op}]; o != nil {
			o.lines = append(o.lines, len(r.commits))
		}
		r.commits = append(r.commits, c)
	})
	return r, err
}

// committed reports whether the commit of a line has been made: then no other one has its number.
func (r *replay) committed(line int) bool {
	if line+1 < len(r.commits) {
		return r.commits[line+1].Number != r.commits[line].Number
	}
	return r.last >= r.commits[line].Number
}

// effect is the line at which an operation has happened, -1 if it has not.
func (r *replay) effect(o *operation) int {
	if o.ended && o.kind != "" && o.kind != "doubt" {
		return -1
	}
	for _, line := range o.lines {
		if o.step.Do == "write" && r.committed(line) && r.commits[line].Files[o.step.Name].State == catalog.Dirty {
			return line // nobody else reads or writes the elements from here to the end
		}
	}
	for _, line := range slices.Backward(o.lines) {
		if r.committed(line) && r.decides(o, line) {
			return line
		}
	}
	return -1
}

// decides reports whether a commit can be the one with which an operation happens. Before it, what
// dead writers left is put right; after it, a journal is cleared.
func (r *replay) decides(o *operation, line int) bool {
	if effects[o.step.Do] == nil && o.step.Do != "update" {
		return false
	}
	now := r.commits[line]
	before := commit{}
	for i := line - 1; i >= 0; i-- {
		if r.committed(i) {
			before = r.commits[i]
			break
		}
	}
	switch o.step.Do {
	case "keep", "forget":
		return !slices.Equal(now.Snaps, before.Snaps)
	}
	for name, f := range now.Files {
		if was := before.Files[name]; was.ID == f.ID && was.State == catalog.Patching && f.State == catalog.Clean {
			return false
		}
	}
	return true
}

// run repeats the history, and says what does not fit.
func (r *replay) run(start *state) error {
	r.states = []*state{start}
	happens, byLine := map[int]*operation{}, map[int]*operation{}
	for _, o := range r.ops {
		for _, line := range o.lines {
			byLine[line] = o
		}
		if line := r.effect(o); line >= 0 {
			happens[line] = o
		} else if o.ended && o.kind == "" && changesSomething(o, len(o.lines)) {
			return fmt.Errorf("%v: it was acknowledged without a commit", o)
		}
	}
	for line := range r.commits {
		next, err := r.next(happens[line], line)
		if err != nil {
			return fmt.Errorf("commit %d, %v: %w", line, byLine[line], err)
		}
		r.states = append(r.states, next)
	}
	return r.compareReads()
}

// next is the state after a commit, which may be that of an operation. One that was killed may have
// committed only what comes before its effect.
func (r *replay) next(o *operation, line int) (*state, error) {
	if o != nil && !(o.killedJob() && r.sameFiles(line)) {
		next, err := r.happen(o, line)
		if err == nil || o.ended && o.kind != "doubt" {
			return next, err
		}
	}
	s := r.states[line]
	if !r.committed(line) {
		return s, nil
	}
	s = s.clone().settled(r.commits[line])
	return s, s.differs(r.commits[line])
}

// killedJob reports whether an operation was a job, which commits that it has begun, and did not
// end.
func (o *operation) killedJob() bool { return !o.ended && o.step.Do == "eval" && o.step.Count > 0 }

// sameFiles reports whether a commit left each tensor in the file that it had.
func (r *replay) sameFiles(line int) bool {
	if line == 0 {
		return false
	}
	file := func(a, b fileState) bool { return a.ID == b.ID && a.Sum == b.Sum }
	return maps.EqualFunc(r.commits[line].Files, r.commits[line-1].Files, file)
}

// happen is the state after an operation. It has read one state: the last one, or one since it
// began.
func (r *replay) happen(o *operation, line int) (*state, error) {
	var first error
	for reads := line; reads >= 0 && (reads == line || r.commits[reads].at >= o.begin); reads-- {
		next, err := r.states[line].afterReading(o.step, r.states[reads])
		if err != nil {
			err = fmt.Errorf("it was acknowledged, expected: %w", err)
		} else {
			next = next.settled(r.commits[line])
			err = next.differs(r.commits[line])
		}
		if err == nil {
			next.written = nil
			return next, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// differs says how what is committed differs from the state.
func (s *state) differs(c commit) error {
	for name, f := range c.Files {
		o := s.names[name]
		if o == nil || o.kind != catalog.KindTensor {
			return fmt.Errorf("there is a tensor %s, expected none", name)
		}
		if v := s.shows(o); f.Sum != 0 && f.Sum != v.sum() {
			return fmt.Errorf("%s is %s, expected %v", name, f.Shows, v)
		}
	}
	for name, o := range s.names {
		if _, ok := c.Files[name]; !ok && o.kind == catalog.KindTensor {
			return fmt.Errorf("there is no tensor %s", name)
		}
	}
	return nil
}

// changesSomething reports whether a step that was acknowledged must have committed something.
func changesSomething(o *operation, commits int) bool {
	return commits == 0 && slices.Contains([]string{"create", "import", "pack", "view", "delete", "keep", "forget", "blob", "attr"}, o.step.Do)
}

// settled is the state with what only the store can say: see world.settle.
func (s *state) settled(c commit) *state {
	ids := map[int]map[string][]string{}
	for _, name := range s.sorted() {
		o, f := s.names[name], c.Files[name]
		if o.kind != catalog.KindTensor || f.ID == "" {
			continue
		}
		s.bufs[o.buf].sealed = f.Sealed
		if ids[o.buf] == nil {
			ids[o.buf] = map[string][]string{}
		}
		ids[o.buf][f.ID] = append(ids[o.buf][f.ID], name)
	}
	for id, files := range ids {
		if len(files) > 1 && s.bufs[id].restored {
			s.split(id, files)
		}
	}
	return s
}

// during returns the states that an operation may have seen: from the last one before its beginning
// that was certain, to the last one before its end.
func (r *replay) during(o *operation) []*state {
	upTo := func(at int64) int {
		return sort.Search(len(r.commits), func(i int) bool { return r.commits[i].at >= at })
	}
	return r.states[max(0, upTo(o.begin)-1) : upTo(o.end)+1]
}

func (r *replay) compareReads() error {
	for _, o := range r.ops {
		if !o.ended || o.kind == "beside" || o.kind == "doubt" {
			continue
		}
		states := r.during(o)
		fits := func(s *state) bool { return r.fits(o, s) }
		if (o.got != nil || o.kind == "refused") && !slices.ContainsFunc(states, fits) {
			return r.unfit(o, states)
		}
		if err := r.newVersions(o); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether what an operation said, or read, is what it should in a state.
func (r *replay) fits(o *operation, s *state) bool {
	switch o.step.Do {
	case "look":
		v, err := s.sight(o.step.Names[0])
		return (o.kind == "refused") == (err != nil) && (err != nil || v == o.got[o.step.Names[0]].Sum)
	case "total":
		v, err := o.step.Expr.eval(s.look)
		return (o.kind == "refused") == (err != nil) && (err != nil || v.sum() == o.got[""].Sum)
	case "backup":
		return s.showsAll(o.got)
	case "redo":
		if made := s.names[o.step.Name]; made != nil && made.unsure {
			return true
		}
	}
	_, err := s.after(o.step)
	return err != nil || effects[o.step.Do] == nil && o.step.Do != "update"
}

// sight is the sum of what a name, or one in a snapshot, stands for.
func (s *state) sight(name string) (uint64, error) {
	name, snap, found := strings.Cut(name, "@")
	if found {
		if s = s.snaps[snap]; s == nil {
			return 0, tstore.ErrNotFound
		}
	}
	if o := s.names[name]; o != nil && o.kind == catalog.KindBlob {
		return uint64(o.blob), nil
	}
	v, err := s.look(name)
	return v.sum(), err
}

// showsAll reports whether a state shows all of what was seen, and nothing else.
func (s *state) showsAll(got map[string]sight) bool {
	n := 0
	for snap, then := range s.snaps {
		n += then.stored()
		if snap == "" {
			return false
		}
	}
	if n+s.stored() != len(got) {
		return false
	}
	for name, g := range got {
		if sum, err := s.sight(name); err != nil || sum != g.Sum {
			return false
		}
	}
	return true
}

// stored counts the names that are not computed.
func (s *state) stored() (n int) {
	for _, o := range s.names {
		if o.kind != catalog.KindLazy {
			n++
		}
	}
	return n
}

// unfit says what an operation saw, and what it might have.
func (r *replay) unfit(o *operation, states []*state) error {
	var b strings.Builder
	for i, s := range states[:min(len(states), 4)] {
		fmt.Fprintf(&b, "\n  state %d:", i)
		for _, name := range append(o.step.Names, o.step.Expr.names()...) {
			if name, snap, _ := strings.Cut(name, "@"); snap == "" {
				v, err := s.look(name)
				fmt.Fprintf(&b, " %s is %v (%v)", name, v, err)
			}
		}
	}
	return fmt.Errorf("%v: %s %s, saw %v: none of the %d states at that time is so%s", o, o.kind, o.text, o.got, len(states), b.String())
}

// newVersions notes what versions of tensors showed.
func (r *replay) newVersions(o *operation) error {
	for name, g := range o.got {
		if g.Storage == "" || strings.Contains(name, "@") || o.step.Do != "look" || leftOut("versions") {
			continue
		}
		var id catalog.ID
		copy(id[:], g.Storage)
		key := version{name, g.Version, id, g.Created}
		if before, known := r.seen[key]; known && before != g.Sum {
			return fmt.Errorf("%v: version %d of %s was seen before with other elements", o, g.Version, name)
		}
		r.seen[key] = g.Sum
	}
	return nil
}
