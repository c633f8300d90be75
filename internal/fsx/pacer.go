package fsx

import "sync"

// waitBehind is how many chunks may be on their way to the disk before the writer waits for the
// oldest.
const waitBehind = 4

type span struct{ off, n int64 }

// pacer bounds the dirty bytes of a stream: the writing of each chunk to disk starts when the chunk
// is complete, and the chunk is waited for, and dropped from the page cache, once waitBehind later
// ones are complete.
type pacer struct {
	file       File
	keepCached bool
	mu         struct {
		sync.Mutex
		started []span // oldest first
	}
}

// wrote is told of each complete chunk. Several goroutines may call it at the same time.
func (p *pacer) wrote(s span) error {
	if err := p.file.StartWriteback(s.off, s.n); err != nil {
		return err
	}

	// Wait for the chunk that has been on its way the longest. Its bytes can be dropped only once
	// they are on the disk.
	old, ok := p.push(s)
	if !ok {
		return nil
	}
	if err := p.file.WaitWriteback(old.off, old.n); err != nil {
		return err
	}

	if !p.keepCached {
		p.file.DropCache(old.off, old.n)
	}
	return nil
}

// push adds s and takes out the oldest chunk if there are more than waitBehind.
func (p *pacer) push(s span) (old span, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	started := append(p.mu.started, s)
	if ok = len(started) > waitBehind; ok {
		old = started[0]
		started = append(started[:0], started[1:]...)
	}
	p.mu.started = started
	return old, ok
}
