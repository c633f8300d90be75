package view

// broadcast returns src broadcast to the shape of dst by NumPy's rules for assignment. Axes are
// matched from the last one. Missing axes and axes of size 1 are repeated, and surplus leading axes
// of size 1 are dropped.
func broadcast(op string, src, dst Layout) (Layout, error) {
	axes := src.axes
	for len(axes) > len(dst.axes) && axes[0].n == 1 {
		axes = axes[1:]
	}

	lead := len(dst.axes) - len(axes)
	if lead < 0 {
		return Layout{}, &ShapeError{Op: op, Want: dst.Shape(), Got: src.Shape()}
	}

	out := Layout{axes: make([]axis, len(dst.axes)), offset: src.offset}
	for i, d := range dst.axes {
		out.axes[i].n = d.n
		if i < lead {
			continue
		}

		switch s := axes[i-lead]; s.n {
		case d.n:
			out.axes[i].stride = s.stride
		case 1:
		default:
			return Layout{}, &ShapeError{Op: op, Want: dst.Shape(), Got: src.Shape()}
		}
	}

	return out, nil
}
