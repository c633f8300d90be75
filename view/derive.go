package view

// derive returns a tensor with the layout l that borrows from t. The layout picks elements of t
// only, so it needs no proof.
func (t *Tensor) derive(l Layout) *Tensor {
	return &Tensor{own: t.own, dt: t.dt, layout: l}
}

// deriveIf is derive for a layout that may have failed.
func (t *Tensor) deriveIf(l Layout, err error) (*Tensor, error) {
	if err != nil {
		return nil, err
	}
	return t.derive(l), nil
}

// Index returns the part of t that ix picks; see Layout.Index.
func (t *Tensor) Index(ix Index) (*Tensor, error) {
	part := new(struct { // one allocation for the tensor and its axes
		Tensor
		room [4]axis
	})
	l, err := t.layout.index(ix, part.room[:0])
	if err != nil {
		return nil, err
	}
	part.Tensor = Tensor{own: t.own, dt: t.dt, layout: l}
	return &part.Tensor, nil
}

// Slice returns the part of t that the text picks, such as "1:9:2, ::-1"; see ParseIndex.
func (t *Tensor) Slice(text string) (*Tensor, error) {
	ix, err := ParseIndex(text)
	if err != nil {
		return nil, err
	}
	return t.Index(ix)
}

// Transpose returns t with its axes in reverse order.
func (t *Tensor) Transpose() *Tensor { return t.derive(t.layout.Transpose()) }

// Permute returns t with its axes in the given order; see Layout.Permute.
func (t *Tensor) Permute(axes ...int) (*Tensor, error) { return t.deriveIf(t.layout.Permute(axes...)) }

// Reshape returns the elements of t in another shape, without a copy; see Layout.Reshape.
func (t *Tensor) Reshape(shape ...int) (*Tensor, error) {
	return t.deriveIf(t.layout.Reshape(shape...))
}

// Flatten returns the elements of t in one axis, without a copy.
func (t *Tensor) Flatten() (*Tensor, error) { return t.deriveIf(t.layout.Flatten()) }
