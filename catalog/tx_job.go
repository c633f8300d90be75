package catalog

import "fmt"

// Jobs returns all jobs, in the order of their ids.
func (tx *Tx) Jobs() ([]Job, error) {
	var list []Job
	var fault error
	tx.jobs.each(nil, func(key, value []byte) bool {
		var message []byte
		if message, fault = tx.jobs.open(key, value); fault != nil {
			return false
		}
		j, err := jobOf(key, message)
		list, fault = append(list, j), tx.jobs.bad(key, err)
		return fault == nil
	}, func(err error) { fault = err })
	return list, fault
}

// jobOf decodes a pair of bucket jobs.
func jobOf(key, message []byte) (Job, error) {
	id, err := idOf(key)
	if err != nil {
		return Job{}, err
	}
	return decodeJob(id, message)
}

// Job returns a job, or ErrNotFound.
func (tx *Tx) Job(id ID) (Job, error) {
	message, err := tx.jobs.get(id[:])
	if err != nil {
		return Job{}, err
	}
	if message == nil {
		return Job{}, fmt.Errorf("job %s %w", id, ErrNotFound)
	}
	j, err := decodeJob(id, message)
	return j, tx.jobs.bad(id[:], err)
}

// HasJob reports whether there is a job of that id, readable or not.
func (tx *Tx) HasJob(id ID) (bool, error) { return tx.jobs.has(id[:]) }

// PutJob inserts a job or changes one.
func (tx *Tx) PutJob(j Job) error {
	if err := tx.writing(); err != nil {
		return err
	}
	j.Updated = tx.now
	if j.Created.IsZero() {
		j.Created = tx.now
	}
	if err := j.check(); err != nil {
		return err
	}
	id := j.ID()
	return tx.jobs.put(id[:], encodeJob(&j))
}

// DropJob removes a job. Its file is for the caller to publish or to remove.
func (tx *Tx) DropJob(id ID) error {
	if err := tx.writing(); err != nil {
		return err
	}
	return tx.jobs.del(id[:])
}
