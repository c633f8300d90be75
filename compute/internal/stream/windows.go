package stream

// windowBytes is the approximate size of a window, in the operand where it is largest.
const windowBytes = 8 << 20

// windows cuts chunks into windows.
type windows struct{ numChunks, perWindow int }

// newWindows takes chunks to be of about the same size.
func newWindows(tracks []*track, numChunks int) windows {
	largest := int64(1)
	for _, t := range tracks {
		for _, chunk := range []int{0, numChunks / 2, numChunks - 1} {
			_, n := t.Range(chunk)
			largest = max(largest, n)
		}
	}
	return windows{numChunks, int(min(max(windowBytes/largest, 1), int64(numChunks)))}
}

func (w windows) count() int { return (w.numChunks + w.perWindow - 1) / w.perWindow }

// chunks returns the chunks [first, end) of a window.
func (w windows) chunks(window int) (first, end int) {
	first = window * w.perWindow
	return first, min(first+w.perWindow, w.numChunks)
}

// spanned returns the greatest number of windows that a number of chunks in a row can touch.
func (w windows) spanned(chunks int) int { return (chunks+w.perWindow-2)/w.perWindow + 1 }
