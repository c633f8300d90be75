package syntax_test

import (
	"fmt"

	"github.com/tstore/tstore/internal/syntax"
)

func Example() {
	tree := syntax.Expression("sqrt(a*a + b*b)[::2]")
	fmt.Println(tree.Root, tree.Root.Args[1].Kind == syntax.Index)

	tree = syntax.Expression("sqrt(a*a +")
	fmt.Println(tree.Root, tree.Err.Pos, tree.Err.Want)

	built := &syntax.Node{Kind: syntax.Binary, Text: "*", Args: []*syntax.Node{
		{Kind: syntax.Name, Text: "weather/t2m", Quoted: true}, {Kind: syntax.Number, Text: "2"},
	}}
	fmt.Println(built)
	// Output:
	// sqrt(a * a + b * b)[::2] true
	// sqrt(a * a + <>) 10 an operand
	// `weather/t2m` * 2
}
