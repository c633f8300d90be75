package model

import "slices"

// kinds are the steps of a history, and how often they are made.
var kinds = map[string]int{
	"create": 12, "import": 6, "pack": 5, "adopt": 2, "copy": 4, "view": 8, "rename": 4, "delete": 6, "replace": 5,
	"append": 14, "resize": 5, "set": 6, "fill": 8, "write": 4, "eval": 12, "define": 6, "redo": 3, "seal": 3, "unseal": 5,
	"attr": 2, "blob": 2, "keep": 6, "forget": 2, "restore": 4, "bring": 12,
	"update": 4, "hold": 3, "store": 4, "release": 6,
	"begin": 3, "commit": 4, "abort": 1, "open": 5, "close": 2, "reopen": 2, "touch": 1,
	"backup": 6, "tar": 2, "return": 1, "gc": 2, "cut": 1, "compact": 1, "repair": 1, "salvage": 2,
}

// inTx are the steps that can be part of a transaction.
var inTx = []string{"create", "import", "copy", "view", "rename", "delete", "replace", "eval", "define", "attr", "blob"}

// step makes a step, or one of the last ones again.
func (g *generator) step(w *world) step {
	g.steps++
	if len(g.again) > 0 {
		return g.once()
	}
	if n := len(g.past); n > 3 && g.chance(8) {
		from := g.rng.IntN(min(n, 16))
		g.again = slices.Clone(g.past[n-1-from:])
		return g.once()
	}
	if g.chance(6) {
		if g.again = g.cycle(w); g.again != nil {
			return g.once()
		}
	}
	st := g.fresh(w)
	if st.Tx == 0 && st.Do != "begin" && st.Do != "adopt" {
		g.past = append(g.past, st)
	}
	return st
}

// once makes the next of the steps that are made again. The same steps meet other states: a name is
// brought back from the same snapshot, has as many rows appended, is backed up into the same
// folder.
func (g *generator) once() step {
	st := g.again[0]
	g.again = g.again[1:]
	if st.First > 0 {
		st.First = g.first()
	}
	return st
}

// fresh makes a step that mostly fits the state.
func (g *generator) fresh(w *world) step {
	s := w.model
	st := step{Do: g.kind(), Handle: g.rng.IntN(g.handles)}
	if len(w.txs) > 0 && g.chance(35) {
		st.Tx = w.anyTx(g.rng)
		if g.chance(30) {
			st.Do = "commit"
			return st
		}
		for !slices.Contains(inTx, st.Do) {
			st.Do = g.kind()
		}
	}
	g.detail(s, w, &st)
	if g.faults && st.Tx == 0 && !st.Flag && st.Do != "write" && g.chance(15) {
		st.Fail = 1 + g.rng.IntN(12)
	}
	return st
}

// detail chooses what a step is about.
func (g *generator) detail(s *state, w *world, st *step) {
	if slices.Contains([]string{"create", "import", "replace", "pack", "adopt", "append", "set", "fill", "write", "store", "attr", "blob"}, st.Do) {
		st.First = g.first()
	}
	switch st.Do {
	case "create", "import", "replace":
		st.Name, st.DType, st.Shape, st.Order, st.Flag = g.freeName(s), oneOf(g.rng, dtypes), g.shape(), g.order(), g.chance(50)
		if st.Do == "replace" {
			st.Name = g.tensorName(s)
		}
	case "pack":
		st.Names, st.DType, st.Shape, st.Flag = []string{g.freeName(s), g.freeName(s)}, oneOf(g.rng, dtypes), []int{1 + g.rng.IntN(3)}, g.chance(30)
	case "adopt":
		st.Name, st.To, st.DType, st.Shape = g.freeName(s), w.nextFile(), oneOf(g.rng, dtypes), []int{1 + g.rng.IntN(4)}
	case "copy":
		st.Name, st.To, st.Flag = g.name(s), g.freeName(s), g.chance(20)
		st.Part = g.part(s, st.Name, true)
		if st.Flag {
			st.To = g.name(s)
		}
	case "view":
		st.Name, st.To = g.tensorName(s), g.freeName(s)
		st.Part = g.part(s, st.Name, false)
	case "rename":
		st.Name, st.To = g.name(s), g.freeName(s)
		if g.chance(25) {
			st.Name, st.To = oneOf(g.rng, groups), oneOf(g.rng, groups)
		}
	case "delete":
		st.Names = []string{g.name(s)}
	case "append":
		st.Name = g.tensorName(s)
		g.rowsFor(s, st.Name, st)
	case "resize":
		st.Name = g.tensorName(s)
		g.rowsFor(s, st.Name, st)
		st.DType, st.Flag = "", g.chance(40)
		for axis := range st.Shape {
			if axis == 0 || g.chance(20) {
				st.Shape[axis] = g.rng.IntN(6)
			}
		}
	case "update":
		g.subs(s, st, true)
	case "set", "fill", "write", "hold":
		st.Name = g.tensorName(s)
		st.Part = g.part(s, st.Name, st.Do == "set" || st.Do == "fill")
	case "eval":
		st.Stmts = g.stmts(s)
		st.Flag = st.Tx == 0 && g.chance(20) && !slices.ContainsFunc(st.Stmts, stmt.replaces)
		if st.Tx == 0 && !st.Flag && g.chance(30) {
			st.Count = 1 // a job
		}
		st.GPU = g.chance(30)
	case "define":
		st.Name, st.Expr, st.Flag = g.freeName(s), g.expr(s), g.chance(50) && st.Tx == 0
	case "redo":
		st.Name = g.computedName(s)
	case "seal", "unseal":
		st.Name = g.tensorName(s)
	case "attr":
		st.Name, st.To, st.Flag = g.name(s), oneOf(g.rng, []string{"p", "q"}), g.chance(20)
	case "blob":
		st.Name = g.freeName(s)
	case "keep", "forget", "restore":
		st.Name = g.snapName(s, st.Do != "keep")
	case "bring":
		st.Name = g.snapName(s, true)
		st.Names = g.someOf(s, st.Name)
	case "cut":
		st.Name, st.Count = g.tensorName(s), oneOf(g.rng, []int{1, 8, 4096, 1 << 20})
	case "open", "touch":
		st.Name = g.tensorName(s)
	case "backup":
		st.Count = 1 + g.rng.IntN(2)
	case "tar":
		st.Flag = g.chance(60)
	case "begin":
		st.Count = w.nextTx()
	case "commit", "abort":
		st.Tx = w.anyTx(g.rng)
	}
}

// subs makes the steps of a transaction. If nests is true, one of them may be a transaction.
func (g *generator) subs(s *state, st *step, nests bool) {
	for range 1 + g.rng.IntN(3) {
		sub := step{Do: oneOf(g.rng, inTx)}
		if nests && g.chance(15) {
			sub = step{Do: "update", Flag: g.chance(40)}
			g.subs(s, &sub, false)
		} else {
			g.detail(s, &world{}, &sub)
			sub.Flag = sub.Flag && sub.Do != "define" && sub.Do != "eval"
			sub.Count = 0
		}
		st.Sub = append(st.Sub, sub)
	}
}

// computedName is that of something that has an expression, if there is one.
func (g *generator) computedName(s *state) string {
	var names []string
	for _, name := range s.sorted() {
		if o := s.names[name]; o.made != nil || o.expr.Op != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return g.name(s)
	}
	return oneOf(g.rng, names)
}

// snapName is mostly that of a snapshot which is there, or is not.
func (g *generator) snapName(s *state, there bool) string {
	name := oneOf(g.rng, snapNames)
	for try := 0; try < 5 && (s.snaps[name] != nil) != there; try++ {
		name = oneOf(g.rng, snapNames)
	}
	return name
}

// someOf are names of a snapshot, or a group of it.
func (g *generator) someOf(s *state, snap string) []string {
	if then := s.snaps[snap]; then != nil && len(then.names) > 0 {
		names := []string{oneOf(g.rng, then.sorted())}
		if other := oneOf(g.rng, then.sorted()); g.chance(30) && other != names[0] {
			names = append(names, other)
		}
		return names
	}
	return []string{oneOf(g.rng, append(pool, groups...))}
}
