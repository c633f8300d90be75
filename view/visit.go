package view

import "github.com/tstore/tstore/dtype"

// A Func is a function for tensors of one element type, to be chosen by Visit.
type Func[T dtype.Element] func(Array[T]) error

// A Visitor is a Func of some type.
type Visitor interface {
	dtype() dtype.Type
	visit(t *Tensor) error
}

func (f Func[T]) dtype() dtype.Type { return dtype.Of[T]() }

func (f Func[T]) visit(t *Tensor) error {
	a, err := As[T](t)
	if err != nil {
		return err
	}
	return f(a)
}

// Visit calls the one of the visitors that is for the element type of t and returns its error. If
// there is none, the error is a *DTypeError that lists the types there are. With a generic function
// sum,
//
//	err := view.Visit(t, view.Func[float32](sum[float32]), view.Func[float64](sum[float64]))
//
// runs the instance that fits.
func Visit(t *Tensor, visitors ...Visitor) error {
	types := make([]dtype.Type, len(visitors))
	for i, v := range visitors {
		if types[i] = v.dtype(); types[i] == t.dt {
			return v.visit(t)
		}
	}
	return &DTypeError{Want: types, Got: t.dt}
}
