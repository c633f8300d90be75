package mmapstore

import (
	"fmt"
	"strconv"
	"strings"
)

// Place says where bytes live: CPU, or one of the GPUs. Places are comparable.
type Place int

// CPU is host memory: everything that Go code can address.
const CPU Place = 0

// GPU returns the memory of the n-th GPU, n >= 0.
func GPU(n int) Place { return Place(n + 1) }

// GPU reports which GPU the place is, and whether it is one at all.
func (p Place) GPU() (n int, ok bool) { return int(p) - 1, p > CPU }

// String is "cpu" or "gpu:0", the form that ParsePlace reads.
func (p Place) String() string {
	switch n, ok := p.GPU(); {
	case ok:
		return "gpu:" + strconv.Itoa(n)
	case p == CPU:
		return "cpu"
	}
	return fmt.Sprintf("Place(%d)", int(p))
}

// ParsePlace reads what String writes; "gpu" is short for "gpu:0".
func ParsePlace(text string) (Place, error) {
	switch text {
	case "cpu":
		return CPU, nil
	case "gpu":
		return GPU(0), nil
	}
	digits, ok := strings.CutPrefix(text, "gpu:")
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil || digits != strconv.FormatUint(n, 10) {
		return CPU, fmt.Errorf("place %q: want \"cpu\", or \"gpu:\" and the number of a GPU", text)
	}
	return GPU(int(n)), nil
}
