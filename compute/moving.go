package compute

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/bind"
)

// Move applies a function to windows that move along an axis of e. name is the function's name
// without "move_", such as "mean".
func Move(name string, e Expr, width, axis int) Expr {
	if bind.Functions().Find("move_"+name) == nil {
		return errorExpr(fmt.Errorf("there is no moving %q", name))
	}
	return Call("move_"+name, e, Scalar(width), Scalar(axis))
}
