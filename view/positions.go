package view

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// Positions sets the elements of dst, which are int64, to the positions in l of the elements that f
// picks. A position counts elements from the start of the storage. dst is in C order, and has the
// shape that FancyShape returns. Positions returns the errors of Gather.
func (f Fancy) Positions(ctx context.Context, dst *Tensor, l Layout) error {
	if dst.dt != dtype.Int64 || !dst.layout.IsContiguous() {
		return fmt.Errorf("positions: expected int64 elements in C order, found %v with strides %v", dst.dt, dst.Strides())
	}

	p, err := planFancy(ctx, l, f)
	if err == nil {
		err = checkShape("positions", dst, p.shape())
	}
	if err == nil {
		err = dst.checkWritable()
	}
	if err == nil {
		err = p.positions(ctx, dst)
	}

	if err != nil {
		return fmt.Errorf("positions: %w", err)
	}
	return nil
}

// positions writes the positions that the plan picks.
func (p *fancyPlan) positions(ctx context.Context, dst *Tensor) error {
	arrays, around := p.apart(dst.layout)
	inDst, inSrc := newSequence(Layout{axes: around}, 1), newSequence(Layout{axes: p.base.axes}, 1)
	to, from := newRegularPlaces(arrays), p.places()

	pace := pace{ctx: ctx}
	var bufTo, bufFrom [placeChunk]int
	for {
		n, err := from.next(ctx, bufFrom[:])
		if n == 0 || err != nil {
			return err
		}

		if _, err := to.next(ctx, bufTo[:n]); err != nil {
			return err
		}

		err = dst.own.with(func(b []byte) error {
			for k := range n {
				for i := range inDst.n {
					if err := pace.look(maxElement); err != nil {
						return err
					}
					binary.LittleEndian.PutUint64(b[8*(bufTo[k]+inDst.pos(i)):], uint64(bufFrom[k]+inSrc.pos(i)))
				}
			}
			return nil
		})

		if err != nil {
			return err
		}
	}
}
