package work

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
)

// jobSums are the checksums of the blocks that a job has done, in memory and in a file.
type jobSums struct {
	store *Store
	file  fsx.File
	all   []uint64
	check uint32 // CRC-32C of all
}

// newJobSums begins the file.
func (s *Store) newJobSums(id catalog.ID) (*jobSums, error) {
	f, err := s.Engine.FS.OpenFile(s.Engine.Path(storefile.JobSums(id)), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	return &jobSums{store: s, file: f}, nil
}

// openJobSums reads the checksums of the job. It returns nil if the file does not have what the job
// says.
func (s *Store) openJobSums(j *catalog.Job) (*jobSums, error) {
	f, err := s.Engine.FS.OpenFile(s.Engine.Path(storefile.JobSums(j.ID())), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	b := make([]byte, 8*blocksum.Count(j.Done))
	_, err = f.ReadAt(b, 0)
	if err == io.EOF && len(b) > 0 || err == nil && checkOf(0, b) != j.SumsCheck {
		return nil, f.Close()
	}
	if err != nil && err != io.EOF {
		return nil, errors.Join(err, f.Close())
	}

	sums := &jobSums{store: s, file: f, check: j.SumsCheck}
	for ; len(b) > 0; b = b[8:] {
		sums.all = append(sums.all, binary.LittleEndian.Uint64(b))
	}
	return sums, nil
}

func checkOf(before uint32, b []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), b)
}

// add writes the next sums, as durable as the store is.
func (j *jobSums) add(sums []uint64) error {
	b := make([]byte, 0, 8*len(sums))
	for _, sum := range sums {
		b = binary.LittleEndian.AppendUint64(b, sum)
	}
	if _, err := j.file.WriteAt(b, 8*int64(len(j.all))); err != nil {
		return err
	}
	if err := j.store.Engine.SyncFile(j.file); err != nil {
		return j.store.Engine.Poison(err)
	}
	j.all, j.check = append(j.all, sums...), checkOf(j.check, b)
	return nil
}
