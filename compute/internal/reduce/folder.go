package reduce

import (
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
)

// A Folder folds elements for a worker that packs them: on a device, for example. It does what
// kernel.CallFold does.
type Folder interface {
	// Input returns where the elements of an input of the Folding go, one after another. It is not
	// asked for those of Folding.Lying.
	Input(k int) []byte
	// Before returns where the accumulators of a fold go before it, and what they have lost.
	Before(fold int) (sums, lost []byte)
	// After returns them as the last call of Fold has left them.
	After(fold int) (sums, lost []byte)
	// Fold folds the elements of all boxes. No mapped bytes are touched meanwhile.
	Fold(w *FoldWork) error
	// Release is called when the worker does not need the Folder any more.
	Release()
}

// A FoldWork says what a Folder folds.
type FoldWork struct {
	Elems    int       // that were packed
	Boxes    []FoldBox // numbered from 0 on
	Segments int       // of all boxes
	Lanes    int       // of all boxes, if these have lanes of their own

	Addresses []uint64 // of the segments, as many for each as there are Lying.Inputs
}

// A FoldBox is some lanes. Those that are as many for each fold lie behind those of the box before,
// from number First on. Otherwise a fold has FoldSize.Lanes, and box b those from number b·Lanes on.
type FoldBox struct {
	First, Lanes int
	Segments     []Segment // which it takes in this order
}

// A Segment is some packed elements, from number First on and before End. Element i of it goes to
// lane i % lanes. The others are of inputs that lie on a device; see Lying.
type Segment struct {
	First, End int
	Cols       int // elements of a row
	Row, Col   int // what is added to the numbers of rows and of columns
	At         int // of FoldWork.Addresses, the first one
}

// A FoldRoom is how much a Folder has room for. Segments begin at multiples of Grain.
type FoldRoom struct{ Elems, Boxes, Segments, Lanes, Grain int }

// A Folding is what a Folder has to know of an Engine's work.
type Folding struct {
	machine.Lowered // whose program has folds instead of outputs
	Folds           []FoldSize
	PerLane         bool   // whether boxes have lanes of their own, which may be many
	Elems           int    // of all chunks
	Least           int    // elements, and lanes if they are a box's own, that there must be room for
	Lying           *Lying // nil if all inputs are packed
}

// A FoldSize is the lanes of a fold, unless they are those of boxes, and the bytes of the
// accumulator of each, and of what that has lost; 0 if it does not keep such.
type FoldSize struct{ Lanes, Sum, Lost int }

// Folding returns what a Folder has to know. why says what it can't do, if that is not "".
func (e *Engine) Folding() (f *Folding, why string) {
	if !e.hasWork() {
		return nil, "reductions of no elements"
	}
	f = &Folding{}
	f.Lowered, _ = e.spec.Program.Lower()
	if f.HasConstantOutput() {
		return nil, "reductions of constants"
	}
	l := lowering{Folding: f, values: f.Program.Outputs}
	f.Program.Outputs = nil
	for _, z := range e.reducers {
		if why := l.reducer(z); why != "" {
			return nil, why
		}
	}

	for _, z := range e.reducers {
		f.Folds = append(f.Folds, z.foldSizes()...)
	}
	f.PerLane, f.Least = e.perLane(), e.leastRoom()
	f.Lying = e.lyingOf(f.Inputs)
	f.Elems = product(e.spec.Shape)
	return f, ""
}

// NewPacker returns a worker that leaves folding to a Folder with some room, for at least
// Folding.Least elements and lanes, one box and one segment. Results are the same as those of other
// workers.
func (e *Engine) NewPacker(f *Folding, folder Folder, room FoldRoom) exec.Worker {
	w := e.newWorker(e.spec.Program.Kernels())
	w.sparse = 1
	w.packer = &packer{worker: w, folder: folder, folding: f, room: room, open: -1, boxOf: map[resultRun]int{}}
	if f.Lying != nil {
		w.packer.lie()
	}
	return w.packer
}
