package kernel

import "github.com/tstore/tstore/dtype"

// An Entry says what a kernel of a Table computes.
type Entry struct {
	Op   Op
	Type dtype.Type
	Form Form
}

// A Table is what one instruction set has.
type Table struct {
	ISA        string
	Funcs      map[Entry]Func
	NT         map[Entry]Func
	Converts   map[[2]dtype.Type]Func // from, to
	ConvertsNT map[[2]dtype.Type]Func
}

// GenericTable returns the kernels written in Go.
func GenericTable() Table { return exported(generic()) }

// AssembledTables returns the kernels of each instruction set that this CPU has.
func AssembledTables() []Table {
	var tables []Table
	for _, t := range assembled() {
		tables = append(tables, exported(t))
	}
	return tables
}

func exported(t *table) Table {
	out := Table{t.isa, map[Entry]Func{}, map[Entry]Func{}, exportedPairs(&t.converts), exportedPairs(&t.convertsNT)}
	for e, fn := range t.funcs {
		out.Funcs[Entry{e.op, e.typ, e.form}] = fn
	}
	for e, fn := range t.nt {
		out.NT[Entry{e.op, e.typ, e.form}] = fn
	}
	return out
}

func exportedPairs(funcs *[numTypes][numTypes]Func) map[[2]dtype.Type]Func {
	out := map[[2]dtype.Type]Func{}
	for from := range funcs {
		for to, fn := range funcs[from] {
			if fn != nil {
				out[[2]dtype.Type{dtype.Type(from), dtype.Type(to)}] = fn
			}
		}
	}
	return out
}
