package bind

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/spare"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/view"
)

// Limits of bind, so that hostile expressions cost little.
const (
	maxTermDepth = 100_000
	maxNodes     = 100_000
	maxLazyDepth = 64
)

// A binder turns terms into nodes: it finds what names stand for, and a builder makes the nodes.
type binder struct {
	graph.Builder
	names Names
	lists spare.Values[*graph.Node]

	scope   map[string]*made        // what earlier statements have made
	targets map[string]*view.Tensor // what Names.InPlace has found; nil for nothing
	found   map[string]*view.Tensor // what Names.Lookup has found
	dimmed  bool                    // whether an axis may have a name: something that has been looked up has one

	memo     map[termKey]value      // of the statement
	expanded map[string]value       // what lazy names stand for in the statement
	calls    map[termKey]*term.Term // of the statement: calls that name axes, with their numbers
	known    map[termKey][]string   // of the statement: names of axes, as far as they have been asked for
	lazy     []string               // names that are being expanded
	depth    int
}

// binders keeps binders that are done: their maps are most of what binding a short expression
// allocates.
var binders = sync.Pool{New: func() any {
	return &binder{
		scope: map[string]*made{}, targets: map[string]*view.Tensor{}, found: map[string]*view.Tensor{},
		memo: map[termKey]value{}, expanded: map[string]value{},
	}
}}

// maxRecycled is the number of nodes and of terms up to which a binder is kept: the maps of larger
// ones hold on to much.
const maxRecycled = 1000

// recycle empties a binder for the next program.
func (b *binder) recycle() {
	if max(b.NumNodes(), len(b.memo)) > maxRecycled {
		return
	}

	// Reset keeps the maps but not their entries: allocating maps is what costs.
	b.Builder.Reset()
	clear(b.scope)
	clear(b.targets)
	clear(b.found)
	clear(b.memo)
	clear(b.expanded)
	*b = binder{
		Builder: b.Builder, scope: b.scope, targets: b.targets, found: b.found, memo: b.memo, expanded: b.expanded,
	}
	binders.Put(b)
}

// A termKey is a term outside or inside of a lazy name, where variables mean nothing.
type termKey struct {
	term *term.Term
	lazy bool
}

// made is the value of a name that a statement has made.
type made struct {
	value *graph.Node
	dims  []string
	// overwritten is the first statement that writes to what value reads, counted from 1; 0 if
	// there is none.
	overwritten int
}

// Program resolves the names in statements and checks types and shapes. Some shapes depend on
// elements, such as the number of true ones in a mask. eager evaluates those: it returns a packed
// tensor, which the program then owns. Errors of the text of a statement are of type *term.Error.
func Program(ctx context.Context, stmts []term.Statement, names Names, l graph.Limits, eager func(context.Context, *graph.Node) (*view.Tensor, error)) (*graph.Program, error) {
	b := binders.Get().(*binder)
	defer b.recycle()
	b.names = names
	b.Begin(ctx, l, eager, b)
	for _, s := range stmts {
		if err := b.statement(s); err != nil {
			if cerr := b.Program().Close(); cerr != nil {
				return nil, errors.Join(err, cerr)
			}
			return nil, err
		}
	}
	return b.Program(), nil
}

// statement binds the next statement.
func (b *binder) statement(s term.Statement) error {
	clear(b.memo)
	clear(b.expanded)
	clear(b.calls)
	clear(b.known)

	v, err := b.bind(s.Value)
	if err != nil {
		return err
	}

	if v.node != nil {
		if err := b.CheckPicks(v.node); err != nil {
			return s.Value.At.Wrap(err)
		}
	}

	st := graph.Statement{Target: s.Target, Chain: s.Chain, Dims: b.dims(s.Value)}
	switch {
	case !s.Op.Known():
		return fmt.Errorf("%v: no such assignment", s.Op)
	case s.Target == "":
		err = b.bare(&st, s.Op, v)
	default:
		err = b.assign(&st, s.Op, v)
	}
	if err != nil {
		return s.Place().Wrap(err)
	}

	b.AddStatement(st)
	return nil
}
