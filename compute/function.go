package compute

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A function is the meaning of a call or an operator in an expression.
type function struct {
	name    string
	aliases string // other names, with spaces between
	params  string // as Python writes them: "a, axis=None, keepdims=False"
	doc     string // one line: what it makes, and of which types
	bind    func(b *binder, c *call) (value, error)

	// Operators stand between their operands, or before the one that they have.
	symbol string
	prec   precedence

	results string // names of what it makes if that is several arrays, with spaces between
	result  string // the one that a call picks

	parsed []param
	topic  string
}

// A param is one parameter of a function.
type param struct {
	name     string
	optional bool
	text     string // what stands for it when it is left out
}

// A precedence says how tightly an operator binds its operands; they are Python's.
type precedence uint8

const (
	precNone precedence = iota
	precCompare
	precOr
	precXor
	precAnd
	precShift
	precSum
	precProduct
	precUnary
	precPower
	precNumber
	precPostfix
)

// parseParams reads the parameters of a function of the table.
func parseParams(text string) []param {
	var params []param
	for part := range strings.SplitSeq(text, ", ") {
		if part != "" {
			name, value, optional := strings.Cut(part, "=")
			params = append(params, param{name, optional, value})
		}
	}
	return params
}

// Topics whose functions do not work on elements one by one.
const (
	topicNew        = "New arrays"
	topicReductions = "Reductions"
	topicRunning    = "Running and counting"
	topicRanks      = "Medians and quantiles"
	topicMatrices   = "Products of matrices"
	topicLinalg     = "Linear algebra"
)

// allFunctions are the tables of functions, one for each topic.
var allFunctions = []struct {
	topic string
	table []function
}{
	{"Operators", operators},
	{"Arithmetic", arithmeticFunctions},
	{"Rounding", roundingFunctions},
	{"Exponents and logarithms", exponentFunctions},
	{"Angles", angleFunctions},
	{"Special functions", specialFunctions},
	{"Logic and comparisons", logicFunctions},
	{"Complex numbers", complexFunctions},
	{"Choices", choiceFunctions},
	{topicNew, arrayFunctions},
	{topicReductions, reductionFunctions},
	{topicRanks, rankFunctions},
	{topicRunning, scanFunctions},
	{topicMatrices, matrixFunctions},
	{topicLinalg, linalgFunctions},
	{"Moving windows", movingFunctions},
	{"Convolutions", signalFunctions},
	{"Sorting", sortFunctions},
	{"Sets", setFunctions},
	{"Searching", searchFunctions},
	{"Covariances", covarianceFunctions},
	{"Nearest neighbours", neighbourFunctions},
}

// An index finds functions.
type functionIndex struct {
	byName map[string]*function
	binary map[string]*function // by symbol
	unary  map[string]*function
}

// theFunctions is made when the first expression is.
var theFunctions = sync.OnceValue(func() *functionIndex {
	x := &functionIndex{map[string]*function{}, map[string]*function{}, map[string]*function{}}
	for _, group := range allFunctions {
		for i := range group.table {
			group.table[i].topic = group.topic
			x.add(&group.table[i])
		}
	}
	return x
})

func (x *functionIndex) add(fn *function) {
	fn.parsed = parseParams(fn.params)
	for _, name := range append(strings.Fields(fn.aliases), fn.name) {
		if x.byName[name] != nil {
			panic(fmt.Sprintf("BUG: two functions %q", name))
		}
		x.byName[name] = fn
	}
	if fn.symbol != "" && len(fn.parsed) == 1 {
		x.unary[fn.symbol] = fn
	} else if fn.symbol != "" {
		x.binary[fn.symbol] = fn
	}
}

// findFunction returns the function of a name, or nil.
func findFunction(name string) *function { return theFunctions().byName[name] }

// picks returns fn with one of its results picked, or nil if it has none of that name.
func (fn *function) picks(result string) *function {
	if fn.result != "" || !slices.Contains(strings.Fields(fn.results), result) {
		return nil
	}
	picked := *fn
	picked.result = result
	return &picked
}

// param returns the number of the parameter of a name, or -1.
func (fn *function) param(name string) int {
	return slices.IndexFunc(fn.parsed, func(p param) bool { return p.name == name })
}

// signature is the function as docs and errors write it.
func (fn *function) signature() string { return fn.name + "(" + fn.params + ")" }

// checkArgs reports a parameter that must be given and is not.
func (fn *function) checkArgs(args []*term) error {
	for i, p := range fn.parsed {
		if !p.optional && (args[i] == nil || args[i].kind == termNone) {
			return fmt.Errorf("%s lacks its argument %s", fn.signature(), p.name)
		}
	}
	return nil
}

// unknownFunction returns the error for an unknown function. It suggests similar names, and says so
// if NumPy's function is not implemented.
func unknownFunction(name string) error {
	if later[name] {
		return fmt.Errorf("%s is not there yet", name)
	}
	if near := nearestName(name, functionNames()); near != "" {
		return fmt.Errorf("there is no function %q: did you mean %q?", name, near)
	}
	return fmt.Errorf("there is no function %q", name)
}

// later are functions of NumPy that people will ask for.
var later = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(`interp fft ifft eig kron cross
		concatenate stack hstack vstack argwhere nonzero gradient`) {
		names[name] = true
	}
	return names
}()

// functionNames returns all names of functions, in order.
var functionNames = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(theFunctions().byName)) })
