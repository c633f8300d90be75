package knn

import (
	"context"
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/dtype"
)

// A Metric says how near vectors are.
type Metric uint8

// The metrics.
const (
	L2     Metric = iota // Euclidean distance
	Dot                  // product, of which larger ones are nearer
	Cosine               // 1 less the cosine of the angle; the cosine of a vector of zeros is 0
)

type float interface{ float32 | float64 }

// A Search looks for the K nearest vectors of each query. It belongs to one goroutine.
type Search[T float] struct {
	metric  Metric
	dim, k  int
	queries []T // one after the other
	norms   []float64
	heaps   [][]neighbour
	limits  []float64 // scores above these are not among the nearest
	scores  []T
}

// A neighbour is a vector and its exact score, which is lower the nearer it is.
type neighbour struct {
	score float64 // +Inf for NaN
	index int
}

// before reports whether n is nearer than m.
func (n neighbour) before(m neighbour) bool {
	return n.score < m.score || n.score == m.score && n.index < m.index
}

// NewSearch returns a Search for the nearest vectors of queries, of dim numbers each.
func NewSearch[T float](metric Metric, queries []T, dim, k int) *Search[T] {
	s := &Search[T]{metric: metric, dim: dim, k: k, queries: queries}
	n := len(queries) / dim
	s.norms, s.heaps, s.limits = make([]float64, n), make([][]neighbour, n), make([]float64, n)
	for i := range n {
		s.norms[i] = dot(s.query(i), s.query(i))
		s.heaps[i] = make([]neighbour, 0, k)
		s.limits[i] = math.Inf(1)
	}
	return s
}

func (s *Search[T]) query(i int) []T { return s.queries[i*s.dim : (i+1)*s.dim] }

// dot is the product of two vectors in float64.
func dot[T float](a, b []T) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(float64(v) * float64(b[i]))
	}
	return sum
}

// distance is the square of the distance of two vectors in float64.
func distance[T float](a, b []T) float64 {
	sum := 0.0
	for i, v := range a {
		d := float64(v) - float64(b[i])
		sum += float64(d * d)
	}
	return sum
}

// Add compares vectors with the queries. first is the index of the first vector.
func (s *Search[T]) Add(vectors []T, first int) error {
	n := len(vectors) / s.dim
	if n == 0 || len(s.heaps) == 0 {
		return nil
	}

	if need := n * len(s.heaps); len(s.scores) < need {
		s.scores = make([]T, need)
	}
	if err := s.multiply(vectors, n); err != nil {
		return err
	}

	factors, terms, norms, largest := s.weights(vectors, n)
	for q := range s.heaps {
		limit := T(s.limit(q, largest))
		products := s.scores[q*n : (q+1)*n]
		for i, p := range products {
			if score := p*factors[i] + terms[i]; !(score > limit) {
				s.offer(q, neighbour{s.exact(q, vectors[i*s.dim:(i+1)*s.dim], norms[i]), first + i})
				limit = T(s.limit(q, largest))
			}
		}
	}

	return nil
}

// multiply sets scores to the products of all queries and vectors.
func (s *Search[T]) multiply(vectors []T, n int) error {
	size := int(unsafe.Sizeof(vectors[0]))
	t := dtype.Of[T]()
	job := gemm.New(gemm.Spec{
		M: len(s.heaps), N: n, K: s.dim, Workers: 1,
		A: gemm.Operand{Base: unsafe.Pointer(&s.queries[0]), Type: t, Row: s.dim * size, Col: size},
		B: gemm.Operand{Base: unsafe.Pointer(&vectors[0]), Type: t, Row: size, Col: s.dim * size},
		C: gemm.Operand{Base: unsafe.Pointer(&s.scores[0]), Type: t, Row: n * size, Col: size},
	})
	defer job.Close()
	return exec.Run(context.Background(), job, exec.Options{Parallelism: 1})
}

// weights returns what makes scores of products, the squares of the vectors' lengths, and the
// largest length.
func (s *Search[T]) weights(vectors []T, n int) (factors, terms []T, norms []float64, largest float64) {
	factors, terms, norms = make([]T, n), make([]T, n), make([]float64, n)
	for i := range n {
		v := vectors[i*s.dim : (i+1)*s.dim]
		norms[i] = dot(v, v)
		largest = max(largest, math.Sqrt(norms[i]))

		switch s.metric {
		case L2:
			factors[i], terms[i] = -2, T(norms[i])
		case Dot:
			factors[i] = -1
		case Cosine:
			if norms[i] > 0 {
				factors[i] = T(-1 / math.Sqrt(norms[i]))
			}
		}
	}
	return factors, terms, norms, largest
}

// limit returns the score above which no vector of at most the given length is among the nearest of
// query q. It is the score of the last one so far, plus the largest error of a score.
func (s *Search[T]) limit(q int, length float64) float64 {
	unit, most := 0x1p-24, 1e37
	if unsafe.Sizeof(T(0)) == 8 {
		unit, most = 0x1p-53, 1e307
	}

	norm := math.Sqrt(s.norms[q])
	size := (norm + length) * (norm + length)
	if !(size < most) {
		return math.Inf(1) // products may overflow
	}

	if s.metric == Cosine {
		size = norm
	}

	// A product of dim terms is off by at most about dim units in the last place of size.
	bound := 2 * float64(s.dim+16) * unit * size

	score := s.limits[q]
	if s.metric == L2 {
		score -= s.norms[q]
	}
	return score + bound + 2*unit*math.Abs(score) + 0x1p-120
}

// exact returns the score of a vector in float64.
func (s *Search[T]) exact(q int, v []T, norm float64) float64 {
	score := 0.0
	switch {
	case s.metric == L2:
		score = distance(s.query(q), v)
	case s.metric == Dot:
		score = -dot(s.query(q), v)
	case norm != 0:
		score = -dot(s.query(q), v) / math.Sqrt(norm)
	}
	if score != score {
		return math.Inf(1)
	}
	return score
}

// offer keeps a neighbour of a query if it is among the nearest. heaps have the farthest one first.
func (s *Search[T]) offer(q int, n neighbour) {
	h := s.heaps[q]
	switch {
	case len(h) < s.k:
		h = append(h, n)
		for i := len(h) - 1; i > 0 && h[(i-1)/2].before(h[i]); i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		s.heaps[q] = h
	case s.k > 0 && n.before(h[0]):
		h[0] = n
		sink(h)
	}
	if len(h) == s.k && s.k > 0 {
		s.limits[q] = h[0].score
	}
}

// sink moves the first one of a heap to its place.
func sink(h []neighbour) {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child].before(h[child+1]) {
			child++
		}
		if !h[i].before(h[child]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// Merge takes what another search for the same queries has found.
func (s *Search[T]) Merge(other *Search[T]) {
	for q, h := range other.heaps {
		for _, n := range h {
			s.offer(q, n)
		}
	}
}

// Nearest sets indexes and values to those of the nearest vectors of a query, the nearest first.
// Values are distances, or products for Dot. There are K of them, or as many as there are vectors.
// Call it once for each query, after all vectors were added.
func (s *Search[T]) Nearest(q int, indexes []int64, values []float64) {
	h := s.heaps[q]
	for n := len(h) - 1; n >= 0; n-- {
		indexes[n], values[n] = int64(h[0].index), s.value(q, h[0].score)
		h[0] = h[n]
		h = h[:n]
		sink(h)
	}
}

// value returns what a score means.
func (s *Search[T]) value(q int, score float64) float64 {
	switch {
	case math.IsInf(score, 1):
		return math.NaN()
	case s.metric == L2:
		return math.Sqrt(score)
	case s.metric == Dot:
		return -score
	case s.norms[q] == 0:
		return 1
	}
	return 1 + score/math.Sqrt(s.norms[q])
}
