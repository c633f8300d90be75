package view_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// formatMoving is formatLayout with 0 for strides along which no step is taken.
func formatMoving(l view.Layout) string {
	strides := l.Strides()
	for i := range strides {
		if l.Dim(i) <= 1 || l.NumElems() == 0 {
			strides[i] = 0
		}
	}
	moving, err := view.MakeLayout(l.Shape(), strides, l.Offset())
	if err != nil {
		return err.Error()
	}
	return formatLayout(moving)
}

// errorKind returns the kind of an error of geometry, as the golden cases name it.
func errorKind(err error) string {
	switch {
	case errors.Is(err, view.ErrNeedsCopy):
		return "copy"
	case as[*view.AxisError](err):
		return "axis"
	case as[*view.IndexError](err), as[*view.RankError](err):
		return "index"
	}
	return "error"
}

func TestMethodsAsNumPy(t *testing.T) {
	lines := goldenLines(t, "golden/geometry.txt", 4)
	if len(lines) < 3000 {
		t.Errorf("only %d cases", len(lines))
	}
	for _, line := range lines {
		dt, err := dtype.Parse(line[0])
		if err != nil {
			t.Fatal(err)
		}
		c, err := view.ParseMethods(line[2])
		if err != nil {
			t.Errorf("ParseMethods(%q): %v", line[2], err)
			continue
		}
		var got string
		if l, to, err := c.Apply(parseLayout(t, line[1]), dt); err != nil {
			got = errorKind(err)
		} else {
			got = fmt.Sprintf("%s;%s", to, formatMoving(l))
		}
		if got != line[3] {
			t.Errorf("%s\n got %s\nwant %s", strings.Join(line[:3], " "), got, line[3])
		}
	}
}
