package bench

import "runtime/metrics"

// allocatedBytes is what this process has ever allocated on the heap.
func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
