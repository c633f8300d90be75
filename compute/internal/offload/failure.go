package offload

// A Failure is the error of a device, which names it, at a part of a job.
type Failure struct {
	Part string // such as "chunk 3 of 10"
	Err  error
}

// Error implements error.
func (f *Failure) Error() string { return f.Part + ": " + f.Err.Error() }

// Unwrap returns what the device says.
func (f *Failure) Unwrap() error { return f.Err }

// Fail notes that the device has failed, and is not to be used any more: the CPU computes. What it
// says at the end is no error then.
func (e *Engine) Fail(err error) { e.failed = err }

// Failed returns why the device is not used any more; nil if it is.
func (e *Engine) Failed() error { return e.failed }
