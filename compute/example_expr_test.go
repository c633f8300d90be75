package compute_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func ExampleParse() {
	e, err := compute.Parse("(nir-red) / (nir+red)")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e)

	_, err = compute.Parse("sqrr(a) + b")
	var at *compute.ExprError
	if errors.As(err, &at) {
		fmt.Printf("%s\n%*s %v\n", at.Text, at.Pos+1, "^", at.Err)
	}
	// Output:
	// (nir - red) / (nir + red)
	// sqrr(a) + b
	// ^ there is no function "sqrr": did you mean "sqrt"?
}

func ExampleExpr() {
	a, err1 := view.FromSlice([]float32{3, 5, 8})
	b, err2 := view.FromSlice([]float32{4, 12, 15})
	if err := errors.Join(err1, err2); err != nil {
		fmt.Println(err)
		return
	}
	x, y := compute.FromTensor(a), compute.FromTensor(b)
	e := compute.Sqrt(x.Mul(x).Add(y.Mul(y))).Slice("[::-1]").Sub(compute.Scalar(1))
	result, err := e.Eval(context.Background(), compute.Env{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer result.Close()
	if err := view.Fprint(os.Stdout, result, nil); err != nil {
		fmt.Println(err)
	}
	// Output: [16. 12.  4.]
}

func ExampleNewStream() {
	e, err := compute.Parse("arange(10**12).reshape(-1, 1000) ** 2")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := compute.NewStream(context.Background(), e, compute.Env{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.DType(), s.Shape())

	enough := errors.New("enough")
	err = s.Blocks(32, func(b []byte) error {
		for ; len(b) > 0; b = b[8:] {
			fmt.Print(dtype.Load(s.DType(), b), " ")
		}
		return enough
	})
	fmt.Println(err)
	// Output:
	// int64 [1000000000 1000]
	// 0 1 4 9 enough
}

func ExampleNewPlan() {
	a, err := view.FromSlice([]int64{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	stmts, err := compute.ParseProgram("centered = a - mean(a, axis=0); rows = sum(a, axis=1)")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	env := compute.Env{Lookup: func(name string) (*view.Tensor, error) {
		if name != "a" {
			return nil, fmt.Errorf("there is no tensor %q", name)
		}
		return a, nil
	}}
	p, err := compute.NewPlan(ctx, stmts, env, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	for _, out := range p.Outputs() {
		fmt.Println(out.Target, out.DType, out.Shape)
	}
	if err := p.Run(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for i := range stmts {
		if err := view.Fprint(os.Stdout, p.Result(i), nil); err != nil {
			fmt.Println(err)
		}
		fmt.Println()
	}
	// Output:
	// centered float64 [2 3]
	// rows int64 [2]
	// [[-1.5 -1.5 -1.5]
	//  [ 1.5  1.5  1.5]]
	// [ 6 15]
}
