package order

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
)

const (
	clusterElems  = 32      // of a sample that are next to each other: a cache line or some
	taskClusters  = 128     // that a worker reads at a time
	minSampled    = 1 << 16 // elements; of fewer none are sampled
	maxClusters   = 1 << 15
	sampleShare   = 16 // of how many elements one is sampled at most
	keptPerSample = 4  // of n elements n·keptPerSample/√s lie between the bounds that s sampled ones give a median
)

// A sampling reads clusters of elements, one from each of as many stretches of a lane, at a place
// in it that is random and yet the same each time, so that elements that repeat in steps do not
// deceive it. It is an exec.Job.
type sampling[K Key] struct {
	lane     Lane
	clusters int
	keys     []K // of the clusters one after the other
}

// newSampling returns the sampling that suits a lane of at least minSampled elements: the larger a
// sample is, the fewer elements are kept behind it, and the longer it takes.
func newSampling[K Key](l Lane) *sampling[K] {
	n := float64(l.N)
	want := max(math.Pow(n, 2/3.0), math.Pow(2*keptPerSample*n/float64(l.maxKept()), 2))
	clusters := min(int(want)/clusterElems, maxClusters, l.N/(sampleShare*clusterElems))
	return &sampling[K]{lane: l, clusters: clusters, keys: make([]K, clusters*clusterElems)}
}

// NumChunks implements exec.Job.
func (s *sampling[K]) NumChunks() int { return (s.clusters + taskClusters - 1) / taskClusters }

// NewWorker implements exec.Job.
func (s *sampling[K]) NewWorker() exec.Worker {
	return &sampler[K]{s, s.lane.Source.Buffer(clusterElems)}
}

type sampler[K Key] struct {
	*sampling[K]
	buf []byte
}

// Run implements exec.Worker.
func (s *sampler[K]) Run(chunk int) error {
	for k := chunk * taskClusters; k < min((chunk+1)*taskClusters, s.clusters); k++ {
		b, err := s.lane.Source.Fetch(s.buf, s.lane.First+s.place(k), clusterElems)
		if err != nil {
			return err
		}
		Encode(s.lane.Coding, s.keys[k*clusterElems:(k+1)*clusterElems], b)
	}
	return nil
}

// place returns the number of the first element of a cluster.
func (s *sampling[K]) place(k int) int {
	stretch := s.lane.N / s.clusters
	const line = 64 / int(unsafe.Sizeof(uint32(0)))
	at := int(mix(uint64(k))%uint64(stretch-clusterElems+1)) &^ (line - 1)
	return k*stretch + at
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number
// Generators, 2014).
func mix(v uint64) uint64 {
	v = (v + 1) * 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// spreadAt returns the standard deviation of the number of sampled keys that key is not below,
// where q is the share of such keys among all that are not NaN. Elements near each other may be
// alike, so it is the deviation between clusters. Each cluster is compared with the next one, as
// clusters may grow along the lane (Wolter, Introduction to Variance Estimation, 2007, on
// systematic samples).
func (s *sampling[K]) spreadAt(key K, q float64) float64 {
	nan := K(s.lane.Coding.nan)
	if !s.lane.Coding.hasNaN() {
		nan = ^K(0)
	}

	var sum, last float64
	for k := range s.clusters {
		upTo, all := 0, 0
		for _, v := range s.keys[k*clusterElems : (k+1)*clusterElems] {
			if v <= key {
				upTo++
			}
			if v < nan {
				all++
			}
		}

		d := float64(upTo) - q*float64(all)
		if k > 0 {
			sum += (d - last) * (d - last)
		}
		last = d
	}

	return math.Sqrt(sum / 2)
}
