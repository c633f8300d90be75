package main

import (
	"fmt"
	"io"
	"time"
)

// progress draws one line on standard error about bytes that are copied. A nil progress draws
// nothing.
type progress struct {
	w       io.Writer
	label   string
	total   int64
	now     func() time.Time
	started time.Time
	drawn   time.Time
}

// progressEvery is how often the line is drawn again.
const progressEvery = 100 * time.Millisecond

// progress begins a line, or is nil when nobody looks. total is the number of bytes to come, or 0.
func (a *app) progress(label string, total int64) *progress {
	if a.quiet || !a.terminalErr {
		return nil
	}
	return newProgress(a.stderr, label, total, time.Now)
}

func newProgress(w io.Writer, label string, total int64, now func() time.Time) *progress {
	start := now()
	return &progress{w: w, label: label, total: total, now: now, started: start, drawn: start}
}

// update says how many bytes are done. It has the form of tstore.Source.Progress.
func (p *progress) update(done int64) {
	if p == nil {
		return
	}
	now := p.now()
	if now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn = now
	fmt.Fprintf(p.w, "\r%s\x1b[K", p.line(done, now.Sub(p.started)))
}

func (p *progress) line(done int64, took time.Duration) string {
	rate := float64(done) / took.Seconds()
	if p.total == 0 {
		return fmt.Sprintf("%s  %s  %s/s", p.label, humanBytes(done), humanBytes(int64(rate)))
	}
	text := fmt.Sprintf("%s  %s of %s  %s/s", p.label, humanBytes(done), humanBytes(p.total), humanBytes(int64(rate)))
	if rate > 0 {
		left := time.Duration(float64(p.total-done) / rate * float64(time.Second))
		text += fmt.Sprintf("  %d%%  %v left", done*100/p.total, left.Round(time.Second))
	}
	return text
}

// done removes the line.
func (p *progress) done() {
	if p != nil && p.drawn != p.started {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
