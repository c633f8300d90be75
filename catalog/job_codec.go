package catalog

import (
	"fmt"

	"github.com/tstore/tstore/catalog/internal/wire"
	"github.com/tstore/tstore/dtype"
)

// encodeJob returns the message of a job. The id is not in it: it is the key.
func encodeJob(j *Job) []byte { return wire.Encode(j, (*Job).fields) }

// decodeJob reads a message that may hold anything, and returns only valid jobs.
func decodeJob(id ID, message []byte) (Job, error) {
	var j Job
	if err := wire.Decode(message, &j, (*Job).fields); err != nil {
		return Job{}, err
	}
	if j.ID() != id {
		return Job{}, fmt.Errorf("it makes storage %s", j.ID())
	}
	return j, j.check()
}

func (j *Job) fields(c *wire.Coder) {
	j.Record.namedFields(c)
	c.Bool(3, &j.ColumnMajor)
	c.Bool(4, &j.Sparse)
	c.Bool(5, &j.Replace)
	c.Bool(6, &j.Seal)
	codeKind(c, 7, &j.Kind, numJobKinds, "job kind")
	codeKind(c, 8, &j.State, numJobStates, "job state")
	c.Text(9, &j.Err)
	c.Text(10, &j.Writer)
	c.Text(11, &j.Boot)
	c.Time(12, &j.Created)
	c.Time(13, &j.Updated)
	c.Count(14, &j.Total)
	c.Count(15, &j.Done)
	c.Uint32(16, &j.SumsCheck)
	wire.Message(c, 17, j.From != JobFile{}, &j.From, (*JobFile).fields)
	c.Text(18, &j.Text)
	c.Text(19, &j.Group)
	wire.List(c, 20, MaxJobVars, &j.Vars, (*JobVar).fields)
	codeDType(c, 21, &j.As)
	wire.List(c, 22, MaxFormulaInputs, &j.Inputs, (*Input).fields)
	wire.List(c, 23, MaxJobMore, &j.More, (*Record).namedFields)
	wire.Message(c, 24, j.Checkpoint != JobCheckpoint{}, &j.Checkpoint, (*JobCheckpoint).fields)
}

// namedFields are those of a record with its name.
func (r *Record) namedFields(c *wire.Coder) {
	c.Text(1, &r.Name)
	wire.Message(c, 2, true, r, (*Record).fields)
}

func (p *JobCheckpoint) fields(c *wire.Coder) {
	c.Uint(1, &p.Plan)
	c.Count(2, &p.Pass)
	c.Count(3, &p.Done)
	c.Count(4, &p.Of)
	c.Count(5, &p.Grain)
	c.Uint32(6, &p.StateFile)
	c.Count(7, &p.StateBytes)
	c.Uint32(8, &p.StateCheck)
}

func (f *JobFile) fields(c *wire.Coder) {
	c.Text(1, &f.Path)
	c.Count(2, &f.Offset)
	c.Bool(3, &f.BigEndian)
	wire.Message(c, 4, true, &f.Identity, (*Identity).fields)
}

// fields has the dtype before the element, which is read by it.
func (v *JobVar) fields(c *wire.Coder) {
	c.Text(1, &v.Name)
	t := v.Value.Type()
	codeDType(c, 2, &t)
	element := make([]byte, t.Size())
	if c.Writing() {
		v.Value.Store(element)
	}
	if c.Array(3, t.Valid(), element) && t.Valid() {
		v.Value = dtype.Load(t, element)
	}
}
