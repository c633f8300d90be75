package compute_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/view"
)

// TestNearestOfMany checks nearest rows against argsort of all distances, for any number of
// workers, panels and layouts.
func TestNearestOfMany(t *testing.T) {
	const rows, dim, queries = 3000, 17, 1100
	r := rand.New(rand.NewPCG(9, 9))
	numbers := make([]float32, (rows+queries)*dim)
	for i := range numbers {
		numbers[i] = float32(r.IntN(40)) / 4
	}
	all := fromSlice(t, numbers)
	base, err1 := all.Slice(fmt.Sprintf(":%d", rows*dim))
	q, err2 := all.Slice(fmt.Sprintf("%d:", rows*dim))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	b2, err1 := base.Reshape(rows, dim)
	q2, err2 := q.Reshape(queries, dim)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	operands := map[string]*view.Tensor{"b": b2, "q": q2}
	for _, text := range []string{
		"all(knn(q, b, 3)[1050] == argsort(sum((q[1050] - b)**2, axis=1))[:3])",
		"all(knn(q, b, 5, metric='dot')[::100] == argsort(q[::100] @ b.T, descending=True)[:, :5])",
		"all(knn(q[:4, ::-1], b[::-1, ::-1], 2) == argsort(sum((q[:4, newaxis] - b[::-1])**2, axis=2))[:, :2])",
		"max(abs(knn_distances(q[:4], b, 2, metric='cosine') - sort(1 - (q[:4].astype(float64) @ b.T.astype(float64)) / norm(q[:4].astype(float64), axis=1, keepdims=True) / norm(b.astype(float64), axis=1))[:, :2])) < 1e-12",
	} {
		for _, workers := range []int{1, 3} {
			got, err := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: workers})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if !bytes.Equal(got.elements, []byte{1}) {
				t.Errorf("%s is not so", text)
			}
		}
	}
}
