package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
)

// computeFlags say how commands compute, and how they tell how far they are.
type computeFlags struct {
	threads     int
	memoryLimit bytesFlag
	progress    string
	backend     string
	device      deviceFlag
	deviceMost  bytesFlag
	deviceCheck float64
}

func (f *computeFlags) register(flags *pflag.FlagSet) {
	flags.Var(&f.device, "device", "what computes: cpu, gpu:N or auto (default $"+deviceVariable+", or cpu)")
	flags.Lookup("device").DefValue = "" // it stands in the text
	flags.Var(&f.deviceMost, "device-memory", "most memory to take of a GPU; 0 is three quarters of what is free")
	flags.Float64Var(&f.deviceCheck, "check-device", 0, "share of what a GPU computes that the CPU computes as well, to compare all bits: 0 to 1")
	flags.IntVar(&f.threads, "threads", 0, "processors to compute on; 0 is all")
	flags.Var(&f.memoryLimit, "memory-limit", "most memory to compute in; 0 is what the machine or the cgroup allows")
	flags.StringVar(&f.backend, "backend", "auto", "what computes elements: auto, kernels or machine-code; results are the same bits")
	flags.StringVar(&f.progress, "progress", "auto", "how to tell how far it is: auto (bar on a terminal), bar, json or none")
}

// options are the options that the flags ask for. done removes the bar.
func (f *computeFlags) options(a *app, label string) (o *tstore.EvalOptions, done func(), err error) {
	if f.threads < 0 {
		return nil, nil, fmt.Errorf("--threads %d: want 0 (all) or more", f.threads)
	}
	if !(f.deviceCheck >= 0 && f.deviceCheck <= 1) {
		return nil, nil, fmt.Errorf("--check-device %v: want a share from 0 to 1", f.deviceCheck)
	}
	backend, err := compute.ParseBackend(f.backend)
	if err != nil {
		return nil, nil, fmt.Errorf("--backend: %w", err)
	}
	report, done, err := f.report(a, label)
	if err != nil {
		return nil, nil, err
	}
	return &tstore.EvalOptions{Compute: compute.Options{
		Parallelism: f.threads, MemoryLimit: int64(f.memoryLimit), Progress: report, Backend: backend,
		Device: a.gpu, DeviceRates: a.rates, CheckDevice: f.deviceCheck,
	}}, done, nil
}

// quietOut takes the bar away where elements are printed to a terminal while they are computed: it
// would be among them.
func (a *app) quietOut(o *tstore.EvalOptions) {
	if a.terminalOut {
		o.Compute.Progress = nil
	}
}

// report is what is called now and then with how far the work is; nil when nobody wants to know.
func (f *computeFlags) report(a *app, label string) (report func(compute.Progress), done func(), err error) {
	switch f.progress {
	case "none":
		return nil, func() {}, nil
	case "json":
		a.events = &progressEvents{app: a, started: time.Now()}
		return a.events.tell, func() {}, nil
	case "auto", "bar":
		if f.progress == "auto" && (a.quiet || !a.terminalErr) {
			return nil, func() {}, nil
		}
		bar := newProgress(a.stderr, label, 0, time.Now)
		return bar.computed, bar.done, nil
	}
	return nil, nil, errors.New("--progress " + f.progress + ": want auto, bar, json or none")
}

// computed draws the line of a computation.
func (p *progress) computed(at compute.Progress) {
	p.total = at.Total
	p.update(at.Done)
}

// progressEvents writes how far a computation is as JSON.
type progressEvents struct {
	app     *app
	started time.Time
	told    time.Time
	last    compute.Progress // that there was, whether or not it was told
}

// progressJSON is one event of --progress json.
type progressJSON struct {
	Done    int64   `json:"done"`
	Total   int64   `json:"total"`
	Pass    int     `json:"pass"`
	Passes  int     `json:"passes"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate"`
	ETA     float64 `json:"eta"`
}

// tell writes an event, but not too often; the last one of a pass always.
func (e *progressEvents) tell(at compute.Progress) {
	now := time.Now()
	e.last = at
	if now.Sub(e.told) < progressEvery && at.Done < at.Total {
		return
	}
	e.told = now
	e.write(at)
}

// end writes that all is done, unless that was told. Small work may have had nothing to tell.
func (e *progressEvents) end() {
	if e == nil || e.last.Passes > 0 && e.last.Pass == e.last.Passes && e.last.Done == e.last.Total {
		return
	}
	passes := max(e.last.Passes, 1)
	e.write(compute.Progress{Done: e.last.Total, Total: e.last.Total, Pass: passes, Passes: passes})
}

func (e *progressEvents) write(at compute.Progress) {
	v := progressJSON{Done: at.Done, Total: at.Total, Pass: at.Pass, Passes: at.Passes, Seconds: time.Since(e.started).Seconds()}
	if v.Seconds > 0 && at.Done > 0 {
		v.Rate = float64(at.Done) / v.Seconds
		v.ETA = float64(at.Total-at.Done) / v.Rate
	}
	// Progress that can't be told is no reason to end the work.
	_ = writeJSON(e.app.stderr, v)
}
