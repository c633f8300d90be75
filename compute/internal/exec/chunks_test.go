package exec_test

import (
	"testing"

	"github.com/tstore/tstore/compute/internal/exec"
)

func TestChunkSize(t *testing.T) {
	for _, test := range []struct {
		name                            string
		all, least, most, workers, want int
	}{
		{"eight for each worker", 6400, 1, 1000, 4, 200},
		{"no less than least", 6400, 300, 1000, 4, 300},
		{"no more than most", 6400, 1, 100, 4, 100},
		{"most is the bound that counts", 6400, 300, 100, 4, 100},
		{"nothing", 0, 1, 10, 4, 1},
		{"no workers are one", 80, 1, 100, 0, 10},
	} {
		if got := exec.ChunkSize(test.all, test.least, test.most, test.workers); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
}
