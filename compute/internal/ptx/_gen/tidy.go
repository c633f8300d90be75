package main

import (
	"fmt"
	"slices"
	"strings"
)

// tidy makes the instructions fewer: it takes out copies, what nothing reads, what nothing comes
// to, and labels that nothing goes to. Then it numbers registers and labels anew.
func (e *emitter) tidy() {
	for before := -1; before != len(e.lines); {
		before = len(e.lines)
		e.propagate()
		e.dropUnread()
		e.dropJumps()
	}
	e.renumber()
}

// registersOf calls change with all registers that l reads, and sets them to its results.
func (l *line) registersOf(change func(register string) string) {
	guard, negated := strings.CutPrefix(l.guard, "!")
	if l.guard = change(guard); negated {
		l.guard = "!" + l.guard
	}
	for k, a := range l.args {
		if address, ok := strings.CutPrefix(a, "["); ok {
			base, rest, _ := strings.Cut(address, "+")
			l.args[k] = "[" + change(base) + "+" + rest
		} else {
			l.args[k] = change(a)
		}
	}
}

// propagate replaces registers that are copies of others by those. Both are set once.
func (e *emitter) propagate() {
	defined := map[string]int{}
	for _, l := range e.lines {
		defined[l.dst]++
	}

	origin := map[string]string{}
	for _, l := range e.lines {
		if strings.HasPrefix(l.op, "mov.") && defined[l.dst] == 1 && isCopy(l) && defined[l.args[0]] <= 1 {
			origin[l.dst] = l.args[0]
		}
	}

	for i := range e.lines {
		e.lines[i].registersOf(func(register string) string {
			for origin[register] != "" {
				register = origin[register]
			}
			return register
		})
	}
}

// isCopy reports whether a move is between registers of one type. Those of arguments have the type
// that they are moved as.
func isCopy(l line) bool {
	dst, src := l.dst, l.args[0]
	if src[0] != '%' || dst[1] == 'y' {
		return false
	}
	typ := strings.TrimPrefix(l.op, "mov.")
	return dst[1] == src[1] || src[1] == 'x' && letters[typ] == dst[1:2] && typ[0] == 'f'
}

// dropUnread removes instructions whose results nothing reads, and labels that nothing goes to.
func (e *emitter) dropUnread() {
	used := map[string]bool{}
	for i := range e.lines {
		l := &e.lines[i]
		l.registersOf(func(register string) string {
			used[register] = true
			return register
		})
		if l.op != "" {
			used[l.label] = true
		}
	}
	e.lines = slices.DeleteFunc(e.lines, func(l line) bool {
		if l.op == "" {
			return !used[l.label]
		}
		return l.dst != "" && !used[l.dst] && l.dst[1] != 'y'
	})
}

// dropJumps removes branches to what follows them, and what follows branches without a label. A
// branch over another one becomes one with the opposite condition.
func (e *emitter) dropJumps() {
	for i := 0; i+1 < len(e.lines); i++ {
		l, next := &e.lines[i], &e.lines[i+1]
		if l.op == "bra" && l.guard != "" && next.op == "bra" && next.guard == "" && slices.Contains(labelsAt(e.lines[i+2:]), l.label) {
			guard, negated := strings.CutPrefix(l.guard, "!")
			if !negated {
				guard = "!" + guard
			}
			*next = line{guard: guard, op: "bra", label: next.label}
			e.lines = slices.Delete(e.lines, i, i+1)
		}
	}

	kept := e.lines[:0]
	away := false
	for i, l := range e.lines {
		if away = away && l.op != ""; away {
			continue
		}
		away = l.op == "bra" && l.guard == ""
		if l.op != "bra" || !slices.Contains(labelsAt(e.lines[i+1:]), l.label) {
			kept = append(kept, l)
		}
	}
	e.lines = kept
}

// labelsAt returns the labels that some lines begin with.
func labelsAt(lines []line) (labels []string) {
	for _, l := range lines {
		if l.op != "" {
			break
		}
		labels = append(labels, l.label)
	}
	return labels
}

// renumber gives the registers and labels that are left numbers without gaps.
func (e *emitter) renumber() {
	clear(e.counts)
	names := map[string]string{}
	rename := func(word string) string {
		i := slices.IndexFunc(registerTypes, func(typ string) bool { return strings.HasPrefix(word, "%"+letters[typ]) })
		if names[word] == "" && i >= 0 {
			typ := registerTypes[i]
			names[word] = fmt.Sprintf("%%%s%d", letters[typ], e.counts[typ])
			e.counts[typ]++
		}
		if i < 0 {
			return word
		}
		return names[word]
	}

	labels := 0
	for i := range e.lines {
		l := &e.lines[i]
		l.registersOf(rename)
		l.dst = rename(l.dst)
		if l.label == "" {
			continue
		}
		if names[l.label] == "" {
			names[l.label] = fmt.Sprintf("L%d", labels)
			labels++
		}
		l.label = names[l.label]
	}
}
