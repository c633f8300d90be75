package bind

import (
	"sync"

	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/internal/syntax"
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
	prec   syntax.Precedence

	results string // names of what it makes if that is several arrays, with spaces between

	topic string
}

// Topics whose functions do not work on elements one by one.
const (
	topicNew        = "New arrays"
	topicReductions = "Reductions"
	topicRunning    = "Running and counting"
	topicRanks      = "Medians and quantiles"
	topicMatrices   = "Products of matrices"
	topicLinalg     = "Linear algebra"
	topicJoining    = "Joining and padding"
	topicPlaces     = "Places of elements"
	topicSlopes     = "Interpolation and slopes"
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
	{"Random numbers", randomFunctions},
	{topicJoining, joinFunctions},
	{"Triangles", triangleFunctions},
	{topicReductions, reductionFunctions},
	{topicRanks, rankFunctions},
	{topicRunning, scanFunctions},
	{topicMatrices, matrixFunctions},
	{topicLinalg, linalgFunctions},
	{"Moving windows", movingFunctions},
	{"Convolutions", signalFunctions},
	{"Sorting", sortFunctions},
	{"Sets", setFunctions},
	{topicPlaces, placeFunctions},
	{"Searching", searchFunctions},
	{topicSlopes, slopeFunctions},
	{"Covariances", covarianceFunctions},
	{"Nearest neighbours", neighbourFunctions},
}

// rows are the functions of all tables, by their numbers, and known is how they are written.
// Functions sets both: without functions there are no calls.
var (
	rows  []*function
	known *term.Functions
)

// Functions returns all functions there are.
var Functions = sync.OnceValue(func() *term.Functions {
	var all []term.Function
	for _, group := range allFunctions {
		for i := range group.table {
			row := &group.table[i]
			row.topic = group.topic
			rows = append(rows, row)
			all = append(all, term.Function{
				Name: row.name, Aliases: row.aliases, Params: term.ParseParams(row.params),
				Symbol: row.symbol, Prec: row.prec, Results: row.results,
			})
		}
	}
	known = term.NewFunctions(all)
	return known
})

// rowOf returns the row that has fn.
func rowOf(fn *term.Function) *function { return rows[fn.Number] }
