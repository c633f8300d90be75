//go:build !linux

package pass

import "runtime/metrics"

// privateBytes returns the memory that the Go runtime has from the system.
func privateBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}
