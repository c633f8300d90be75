package term

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tstore/tstore/internal/syntax"
)

// A Function is how a function or an operator is written. What it means is for those who bind
// calls of it.
type Function struct {
	Name    string
	Aliases string // other names, with spaces between
	Params  []Param

	// Operators stand between their operands, or before the one that they have.
	Symbol string
	Prec   syntax.Precedence

	Results string // names of what it makes if that is several arrays, with spaces between
	Result  string // the one that a call picks

	Number int // among all functions, in the order of NewFunctions
}

// A Param is one parameter of a function.
type Param struct {
	Name     string
	Optional bool
	Text     string // what stands for it when it is left out
}

// ParseParams reads parameters as Python writes them: "a, axis=None, keepdims=False".
func ParseParams(text string) []Param {
	var params []Param
	for part := range strings.SplitSeq(text, ", ") {
		if part != "" {
			name, value, optional := strings.Cut(part, "=")
			params = append(params, Param{name, optional, value})
		}
	}
	return params
}

// Functions are all functions that expressions may call. They read the texts in which those stand.
type Functions struct {
	all    []Function
	byName map[string]*Function
	binary map[string]*Function // by symbol
	unary  map[string]*Function
	names  []string // in order
}

// NewFunctions returns functions in the order of their numbers. Two must not share a name.
func NewFunctions(all []Function) *Functions {
	x := &Functions{all: all, byName: map[string]*Function{}, binary: map[string]*Function{}, unary: map[string]*Function{}}
	for i := range all {
		all[i].Number = i
		x.add(&all[i])
	}
	x.names = slices.Sorted(maps.Keys(x.byName))
	return x
}

func (x *Functions) add(fn *Function) {
	for _, name := range append(strings.Fields(fn.Aliases), fn.Name) {
		if x.byName[name] != nil {
			panic(fmt.Sprintf("BUG: two functions %q", name))
		}
		x.byName[name] = fn
	}
	if fn.Symbol != "" && len(fn.Params) == 1 {
		x.unary[fn.Symbol] = fn
	} else if fn.Symbol != "" {
		x.binary[fn.Symbol] = fn
	}
}

// All returns the functions by their numbers.
func (x *Functions) All() []Function { return x.all }

// Find returns the function of a name, or nil.
func (x *Functions) Find(name string) *Function { return x.byName[name] }

// Picks returns fn with one of its results picked, or nil if it has none of that name.
func (fn *Function) Picks(result string) *Function {
	if fn.Result != "" || !slices.Contains(strings.Fields(fn.Results), result) {
		return nil
	}
	picked := *fn
	picked.Result = result
	return &picked
}

// Param returns the number of the parameter of a name, or -1.
func (fn *Function) Param(name string) int {
	return slices.IndexFunc(fn.Params, func(p Param) bool { return p.Name == name })
}

// Signature is the function as docs and errors write it.
func (fn *Function) Signature() string {
	texts := make([]string, len(fn.Params))
	for i, p := range fn.Params {
		texts[i] = p.Name
		if p.Optional {
			texts[i] += "=" + p.Text
		}
	}
	return fn.Name + "(" + strings.Join(texts, ", ") + ")"
}

// CheckArgs reports a parameter that must be given and is not.
func (fn *Function) CheckArgs(args []*Term) error {
	for i, p := range fn.Params {
		if !p.Optional && (args[i] == nil || args[i].Kind == None) {
			return fmt.Errorf("%s lacks its argument %s", fn.Signature(), p.Name)
		}
	}
	return nil
}

// Unknown returns the error for an unknown function. It suggests similar names, and what to write
// where other libraries have a function that expressions do not have.
func (x *Functions) Unknown(name string) error {
	if instead := elsewhere[name]; instead != "" {
		return fmt.Errorf("there is no function %q: %s", name, instead)
	}
	if near := cmp.Or(synonyms[name], nearestName(name, x.names)); near != "" {
		return fmt.Errorf("there is no function %q: did you mean %q?", name, near)
	}
	return fmt.Errorf("there is no function %q", name)
}
