package catalog

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/tstore/tstore/dtype"
)

// JobKind says what a job does.
type JobKind uint8

// The kinds of jobs.
const (
	JobImport JobKind = iota // copies the elements of a file
	JobCopy                  // copies what a selector picks
	JobEval                  // computes a statement
	numJobKinds
)

// String returns "import", "copy" or "eval".
func (k JobKind) String() string {
	names := [...]string{"import", "copy", "eval"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("JobKind(%d)", uint8(k))
}

// JobState says how a job stands.
type JobState uint8

// The states of jobs.
const (
	JobRunning   JobState = iota // a process works on it, or was interrupted
	JobFailed                    // its last process ended with an error
	JobCancelled                 // a person wants it to stop
	numJobStates
)

// String returns "running", "failed" or "cancelled".
func (s JobState) String() string {
	names := [...]string{"running", "failed", "cancelled"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("JobState(%d)", uint8(s))
}

// The limits of a job.
const (
	MaxJobText = 64 << 10 // bytes of its text
	MaxJobVars = 1024
	MaxJobMore = 1<<16 - 1
)

// Job is long work that makes a tensor and goes on after an interruption: what it does, and how far
// it is. Its file, which lies in tmp/ under the name that it is to have in the end, is not garbage.
type Job struct {
	// Record is the tensor that is made, the first one where there are several. The id of its
	// storage is that of the job.
	Record Record
	// More are the other tensors that an eval makes. The storage of number i, from 0, is Part(i+1)
	// of the job's id.
	More        []Record
	ColumnMajor bool // the elements lie in Fortran order
	Sparse      bool // of the storage
	Replace     bool // a tensor of that name may be replaced
	Seal        bool // the storage is to be sealed

	Kind    JobKind
	State   JobState
	Err     string // of the last process; "" unless failed
	Writer  string // the last process
	Boot    string // as in Storage, of the bytes that are done
	Created time.Time
	Updated time.Time

	Total int64 // bytes of elements
	Done  int64 // of them, from the first on, are in the file, as durable as the store is; of an eval as many, in the order of Checkpoint
	// SumsCheck is the CRC-32C of the checksums of the blocks that are done.
	SumsCheck uint32

	From JobFile // of an import

	Text       string        // of a copy its selector, of an eval its statement
	Group      string        // put before the names in Text
	Vars       []JobVar      // numbers with names in Text
	As         dtype.Type    // what elements are converted to, or Invalid
	Inputs     []Input       // what is read, as it was at the beginning
	Checkpoint JobCheckpoint // of an eval
}

// JobCheckpoint is how far an eval is.
type JobCheckpoint struct {
	Plan       uint64 // tells plans apart
	Pass       int64  // passes before this one are done
	Done, Of   int64  // of this pass, in units of its own
	Grain      int64  // of these units
	StateFile  uint32 // the number of the file that has what the units that are done have come to; 0 if there is none
	StateBytes int64  // of that file
	StateCheck uint32 // CRC-32C of them
}

// JobFile is the file that an import reads.
type JobFile struct {
	Path      string // absolute
	Offset    int64  // of the first element
	BigEndian bool
	Identity  Identity // at the beginning
}

// JobVar is a number with a name.
type JobVar struct {
	Name  string
	Value dtype.Scalar
}

// ID identifies the job, and the first storage that it makes.
func (j Job) ID() ID { return j.Record.Storage }

// Records are all tensors that are made.
func (j Job) Records() []Record { return append([]Record{j.Record}, j.More...) }

// NewJobID returns the id of a new job, which has parts.
func NewJobID() ID { return NewID().Whole() }

// Part returns the id of the storage number i, up to MaxJobMore, that the job of this id makes; of
// number 0 it is that of the job.
func (id ID) Part(i int) ID {
	id[14], id[15] = byte(i>>8), byte(i)
	return id
}

// Whole returns the id of the job that a storage is part of, if it is one's.
func (id ID) Whole() ID { return id.Part(0) }

func (p *JobCheckpoint) fault() bool {
	return p.Pass < 0 || p.Done < 0 || p.Of < 0 || p.Grain < 0 || p.Done > p.Of || p.StateFile > maxStateFile ||
		p.StateBytes < 0 || p.StateFile == 0 && p.StateBytes > 0
}

// maxStateFile is the last of the numbers that states take turns with.
const maxStateFile = 2

// check says whether j can be stored.
func (j *Job) check() error {
	if what := j.fault(); what != "" {
		return fmt.Errorf("%w job %s: %s", ErrInvalid, j.ID(), what)
	}

	if j.Record.Kind != KindTensor {
		return fmt.Errorf("%w job: it makes a %v", ErrInvalid, j.Record.Kind)
	}

	for i, rec := range j.More {
		if rec.Kind != KindTensor || rec.Storage != j.ID().Part(i+1) {
			return fmt.Errorf("%w job %s: %q is a %v in storage %s", ErrInvalid, j.ID(), rec.Name, rec.Kind, rec.Storage)
		}
		if err := rec.check(); err != nil {
			return err
		}
	}

	for _, v := range j.Vars {
		if !v.Value.Type().Valid() {
			return fmt.Errorf("%w job %s: variable %q has no value", ErrInvalid, j.ID(), v.Name)
		}
	}

	for _, in := range j.Inputs {
		if err := checkSource(in.Name); err != nil {
			return fmt.Errorf("%w job %s: input: %w", ErrInvalid, j.ID(), err)
		}
	}

	return errors.Join(j.Record.check(), checkText("error", j.Err), checkText("writer", j.Writer),
		checkText("start of the machine", j.Boot), checkTime(j.Created), checkTime(j.Updated))
}

func (j *Job) fault() string {
	switch {
	case j.Kind >= numJobKinds:
		return fmt.Sprintf("unknown kind %d", j.Kind)
	case j.State >= numJobStates:
		return fmt.Sprintf("unknown state %d", j.State)
	case j.Done < 0 || j.Done > j.Total:
		return fmt.Sprintf("%d bytes of %d are done", j.Done, j.Total)
	case len(j.Text) > MaxJobText || !utf8.ValidString(j.Text):
		return fmt.Sprintf("its text is longer than %d bytes or not valid UTF-8", MaxJobText)
	case len(j.Group) > MaxNameBytes || !utf8.ValidString(j.Group):
		return fmt.Sprintf("its group is longer than %d bytes or not valid UTF-8", MaxNameBytes)
	case len(j.More) > MaxJobMore || len(j.More) > 0 && j.Kind != JobEval:
		return fmt.Sprintf("%d tensors of an %v", len(j.More)+1, j.Kind)
	case j.Checkpoint.fault():
		return fmt.Sprintf("its checkpoint is %+v", j.Checkpoint)
	case len(j.Vars) > MaxJobVars:
		return fmt.Sprintf("%d variables, at most %d are allowed", len(j.Vars), MaxJobVars)
	case len(j.Inputs) > MaxFormulaInputs:
		return fmt.Sprintf("%d inputs, at most %d are allowed", len(j.Inputs), MaxFormulaInputs)
	case j.Kind != JobImport && j.Text == "":
		return "it has no text"
	case j.Kind == JobImport && !filepath.IsAbs(j.From.Path):
		return fmt.Sprintf("the path %q of its file is not absolute", j.From.Path)
	case len(j.From.Path) > maxPathBytes || !utf8.ValidString(j.From.Path):
		return fmt.Sprintf("the path of its file is longer than %d bytes or not valid UTF-8", maxPathBytes)
	case j.From.Offset < 0:
		return fmt.Sprintf("elements at byte %d of its file", j.From.Offset)
	}
	return ""
}
