package stream

import "context"

// FakeWork stands in for what a stream does with operands.
type FakeWork struct {
	Prepare, Retire func(window int) error
	Finish          func() error
}

func (f FakeWork) prepare(window int) error { return f.Prepare(window) }
func (f FakeWork) retire(window int) error  { return f.Retire(window) }
func (f FakeWork) finish() error            { return f.Finish() }

// StartFake starts a stream whose windows have perWindow chunks.
func StartFake(ctx context.Context, f FakeWork, numChunks, perWindow int, o Options) *Stream {
	return startHelper(ctx, f, windows{numChunks, perWindow}, o)
}

// Idle reports whether a stream has no helper.
func Idle(s *Stream) bool { return s.ended == nil }

// Closing returns what is closed once Close has been called.
func Closing(s *Stream) <-chan struct{} { return s.closing }
