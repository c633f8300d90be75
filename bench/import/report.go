package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
)

// report prints a line for each contestant; ratios are to the median of the first.
func report(out io.Writer, sizeBytes int64, results []result) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tmedian\tleast\tgreatest\tGB/s\tratio\t")
	first := median(results[0].times)
	for _, r := range results {
		m := median(r.times)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.2f\t%.2f\t\n", r.name, rounded(m), rounded(slices.Min(r.times)),
			rounded(slices.Max(r.times)), float64(sizeBytes)/m.Seconds()/1e9, m.Seconds()/first.Seconds())
	}
	w.Flush()
}

// median returns the middle time, or the mean of the two middle ones.
func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func bytesOrUnknown(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return humanize.IBytes(uint64(n))
}
