package catalog

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/sentinel"
)

// encodeJob returns the message of a valid job. The id is not in it: it is the key.
func encodeJob(j *Job) []byte {
	b := appendText(nil, 1, j.Record.Name)
	b = appendBytes(b, 2, encodeRecord(&j.Record))
	b = appendBool(b, 3, j.ColumnMajor)
	b = appendBool(b, 4, j.Sparse)
	b = appendBool(b, 5, j.Replace)
	b = appendBool(b, 6, j.Seal)
	b = appendUint(b, 7, uint64(j.Kind))
	b = appendUint(b, 8, uint64(j.State))
	b = appendText(b, 9, j.Err)
	b = appendText(b, 10, j.Writer)
	b = appendText(b, 11, j.Boot)
	b = appendTime(b, 12, j.Created)
	b = appendTime(b, 13, j.Updated)
	b = appendUint(b, 14, uint64(j.Total))
	b = appendUint(b, 15, uint64(j.Done))
	b = appendUint(b, 16, uint64(j.SumsCheck))
	if j.From != (JobFile{}) {
		b = appendBytes(b, 17, encodeJobFile(j.From))
	}
	b = appendText(b, 18, j.Text)
	b = appendText(b, 19, j.Group)
	for _, v := range j.Vars {
		b = appendBytes(b, 20, encodeJobVar(v))
	}
	if j.As.Valid() {
		b = appendText(b, 21, j.As.String())
	}
	for _, in := range j.Inputs {
		b = appendBytes(b, 22, encodeInput(in))
	}
	for _, rec := range j.More {
		b = appendBytes(b, 23, appendBytes(appendText(nil, 1, rec.Name), 2, encodeRecord(&rec)))
	}
	if j.Place != (JobPlace{}) {
		b = appendBytes(b, 24, encodeJobPlace(&j.Place))
	}
	return b
}

func encodeJobPlace(p *JobPlace) []byte {
	b := appendUint(nil, 1, p.Plan)
	b = appendUint(b, 2, uint64(p.Pass))
	b = appendUint(b, 3, uint64(p.Done))
	b = appendUint(b, 4, uint64(p.Of))
	b = appendUint(b, 5, uint64(p.Grain))
	b = appendUint(b, 6, uint64(p.StateFile))
	b = appendUint(b, 7, uint64(p.StateBytes))
	return appendUint(b, 8, uint64(p.StateCheck))
}

func encodeJobFile(f JobFile) []byte {
	b := appendText(nil, 1, f.Path)
	b = appendUint(b, 2, uint64(f.Offset))
	b = appendBool(b, 3, f.BigEndian)
	return appendBytes(b, 4, encodeIdentity(f.Identity))
}

func encodeJobVar(v JobVar) []byte {
	b := appendText(nil, 1, v.Name)
	t := v.Value.Type()
	if !t.Valid() {
		return b
	}
	element := make([]byte, t.Size())
	v.Value.Store(element)
	return appendBytes(appendText(b, 2, t.String()), 3, element)
}

// decodeJob reads a message that may hold anything, and returns only valid jobs.
func decodeJob(id ID, message []byte) (Job, error) {
	var j Job
	var name string
	var record []byte
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return Job{}, err
		case f.is(1, protowire.BytesType):
			name = string(f.b)
		case f.is(2, protowire.BytesType):
			record = f.b
		default:
			if err := j.set(f); err != nil {
				return Job{}, fmt.Errorf("field %d: %w", f.num, err)
			}
		}
	}
	var err error
	if j.Record, err = decodeRecord(name, record); err != nil {
		return Job{}, fmt.Errorf("field 2: %w", err)
	}
	if j.ID() != id {
		return Job{}, fmt.Errorf("it makes storage %s", j.ID())
	}
	return j, j.check()
}

// set takes over one field.
func (j *Job) set(f field) (err error) {
	switch {
	case f.is(3, protowire.VarintType):
		j.ColumnMajor = f.u != 0
	case f.is(4, protowire.VarintType):
		j.Sparse = f.u != 0
	case f.is(5, protowire.VarintType):
		j.Replace = f.u != 0
	case f.is(6, protowire.VarintType):
		j.Seal = f.u != 0
	case f.is(7, protowire.VarintType):
		if f.u >= uint64(numJobKinds) {
			return sentinel.NewerKind("job kind", f.u, FormatVersion)
		}
		j.Kind = JobKind(f.u)
	case f.is(8, protowire.VarintType):
		if f.u >= uint64(numJobStates) {
			return sentinel.NewerKind("job state", f.u, FormatVersion)
		}
		j.State = JobState(f.u)
	case f.is(9, protowire.BytesType):
		j.Err = string(f.b)
	case f.is(10, protowire.BytesType):
		j.Writer = string(f.b)
	case f.is(11, protowire.BytesType):
		j.Boot = string(f.b)
	case f.is(12, protowire.Fixed64Type):
		j.Created = wireTime(f.u)
	case f.is(13, protowire.Fixed64Type):
		j.Updated = wireTime(f.u)
	case f.is(14, protowire.VarintType):
		j.Total, err = nonNegative(f.u)
	case f.is(15, protowire.VarintType):
		j.Done, err = nonNegative(f.u)
	case f.is(16, protowire.VarintType):
		j.SumsCheck = uint32(f.u)
		if uint64(j.SumsCheck) != f.u {
			return fmt.Errorf("checksum %d is out of range", f.u)
		}
	case f.is(17, protowire.BytesType):
		j.From, err = decodeJobFile(f.b)
	default:
		err = j.setWork(f)
	}
	return err
}

// setWork takes over one field of what a copy or an eval does.
func (j *Job) setWork(f field) (err error) {
	switch {
	case f.is(18, protowire.BytesType):
		j.Text = string(f.b)
	case f.is(19, protowire.BytesType):
		j.Group = string(f.b)
	case f.is(20, protowire.BytesType):
		if len(j.Vars) == MaxJobVars {
			return fmt.Errorf("more than %d variables", MaxJobVars)
		}
		var v JobVar
		v, err = decodeJobVar(f.b)
		j.Vars = append(j.Vars, v)
	case f.is(21, protowire.BytesType):
		known := false
		if j.As, known = dtypes[string(f.b)]; !known {
			return fmt.Errorf("unknown dtype %.20q", f.b)
		}
	case f.is(22, protowire.BytesType):
		if len(j.Inputs) == MaxFormulaInputs {
			return fmt.Errorf("more than %d inputs", MaxFormulaInputs)
		}
		var in Input
		in, err = decodeInput(f.b)
		j.Inputs = append(j.Inputs, in)
	case f.is(23, protowire.BytesType):
		if len(j.More) == MaxJobMore {
			return fmt.Errorf("more than %d tensors", MaxJobMore)
		}
		var rec Record
		rec, err = decodeJobRecord(f.b)
		j.More = append(j.More, rec)
	case f.is(24, protowire.BytesType):
		j.Place, err = decodeJobPlace(f.b)
	}
	return err
}

func decodeJobRecord(message []byte) (Record, error) {
	var name string
	var record []byte
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return Record{}, err
		case f.is(1, protowire.BytesType):
			name = string(f.b)
		case f.is(2, protowire.BytesType):
			record = f.b
		}
	}
	return decodeRecord(name, record)
}

func decodeJobPlace(message []byte) (p JobPlace, err error) {
	counts := map[protowire.Number]*int64{2: &p.Pass, 3: &p.Done, 4: &p.Of, 5: &p.Grain, 7: &p.StateBytes}
	sums := map[protowire.Number]*uint32{6: &p.StateFile, 8: &p.StateCheck}
	for f, failed := range fields(message) {
		switch count, sum := counts[f.num], sums[f.num]; {
		case failed != nil:
			return JobPlace{}, failed
		case !f.is(f.num, protowire.VarintType):
		case f.num == 1:
			p.Plan = f.u
		case count != nil:
			*count, err = nonNegative(f.u)
		case sum != nil && f.u > 1<<32-1:
			err = fmt.Errorf("%d is out of range", f.u)
		case sum != nil:
			*sum = uint32(f.u)
		}
		if err != nil {
			return JobPlace{}, err
		}
	}
	return p, nil
}

func decodeJobFile(message []byte) (from JobFile, err error) {
	for f, failed := range fields(message) {
		switch {
		case failed != nil:
			return JobFile{}, failed
		case f.is(1, protowire.BytesType):
			from.Path = string(f.b)
		case f.is(2, protowire.VarintType):
			from.Offset, err = nonNegative(f.u)
		case f.is(3, protowire.VarintType):
			from.BigEndian = f.u != 0
		case f.is(4, protowire.BytesType):
			from.Identity, err = decodeIdentity(f.b)
		}
		if err != nil {
			return JobFile{}, err
		}
	}
	return from, nil
}

func decodeJobVar(message []byte) (JobVar, error) {
	var v JobVar
	var t dtype.Type
	var element []byte
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return JobVar{}, err
		case f.is(1, protowire.BytesType):
			v.Name = string(f.b)
		case f.is(2, protowire.BytesType):
			known := false
			if t, known = dtypes[string(f.b)]; !known {
				return JobVar{}, fmt.Errorf("variable of unknown dtype %.20q", f.b)
			}
		case f.is(3, protowire.BytesType):
			element = f.b
		}
	}
	if !t.Valid() || len(element) != t.Size() {
		return JobVar{}, fmt.Errorf("variable of dtype %v with %d bytes", t, len(element))
	}
	v.Value = dtype.Load(t, element)
	return v, nil
}
