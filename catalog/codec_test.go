package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tstore/tstore/catalog/internal/wire"
	"github.com/tstore/tstore/dtype"
)

// appendUint adds a field that no list has, or a value that nobody writes.
func appendUint(b []byte, num protowire.Number, u uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), u)
}

func sampleRecord() Record {
	return Record{
		Name: "x", Storage: ID{1}, DType: dtype.BFloat16, Shape: []int64{2, 3}, Strides: []int64{-3, 1}, Offset: 5, Dims: []string{"a", "b"},
		Attrs: map[string]Value{"u": StringValue("K"), "j": {kind: ValueJSON, text: "[1]"}}, Version: 3, Parent: "p", Created: time.Unix(5, 6).UTC(),
		Formula: Formula{"a + b", []Input{{"a", 4, ID{2}, 9}, {"b", 1, ID{}, 0}}},
	}
}

func FuzzRecord(f *testing.F) {
	r := sampleRecord()
	f.Add(encodeRecord(&r))
	f.Add(encodeRecord(&Record{Kind: KindBlob, Blob: FloatValue(1)}))
	f.Add(encodeRecord(&Record{Kind: KindLazy, DType: dtype.Int8, Shape: []int64{2}, Formula: r.Formula}))
	f.Add(appendUint(encodeRecord(&r), 99, 7))
	f.Fuzz(func(t *testing.T, message []byte) {
		r, err := decodeRecord("x", message)
		if err != nil {
			return
		}
		back, err := decodeRecord("x", encodeRecord(&r))
		if err != nil {
			t.Fatalf("%+v does not decode again: %v", r, err)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzStorage(f *testing.F) {
	s := Storage{ID: ID{1}, Gen: 2, Adopted: true, Path: "/x", PayloadBytes: 5, State: Dirty, Writer: "w", Identity: Identity{1, 2, 3, 4}, Refs: 2, Changes: 9, Spans: []Span{{0, 4, 2}, {1, 5, 7}}, Created: time.Unix(1, 0)}
	f.Add(encodeStorage(&s))
	f.Add(encodeStorage(&Storage{ID: ID{1}, PayloadBytes: 70_000, Seal: NewSeal(70_000, []uint64{1, 2}, 0), Created: time.Unix(1, 0)}))
	f.Add(encodeStorage(&Storage{ID: ID{1}, PayloadBytes: 5 << 20, Seal: NewSeal(5<<20, make([]uint64, 80), 3), Created: time.Unix(1, 0)}))
	f.Add(encodeStorage(&Storage{ID: ID{1}, PayloadBytes: 50, State: Dirty, Writers: sampleWriters(), Created: time.Unix(1, 0)}))
	f.Fuzz(func(t *testing.T, message []byte) {
		s, err := decodeStorage(ID{1}, message)
		if err != nil {
			return
		}
		if back, err := decodeStorage(ID{1}, encodeStorage(&s)); err != nil || !cmp.Equal(back, s) {
			t.Fatalf("%+v became %+v, %v", s, back, err)
		}
	})
}

func sampleWriters() []Writer {
	return []Writer{
		{Key: 1<<61 + 5, Who: "process 7", Part: "x[::2, 0]", Since: time.Unix(3, 4).UTC(), First: 8, End: 40, Item: 4, Shape: []int64{2, 2}, Strides: []int64{-4, 1}, Offset: 6},
		{Key: 9, Who: "process 8", Part: "y", Since: time.Unix(3, 5).UTC(), First: 0, End: 8},
		{},
	}
}

func TestWriters(t *testing.T) {
	st := Storage{ID: ID{1}, PayloadBytes: 50, State: Dirty, Writers: sampleWriters()}
	back, err := decodeStorage(st.ID, encodeStorage(&st))
	if diff := cmp.Diff(st, back, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if left := st.Without(9); len(left) != 2 || left[0].Key != 1<<61+5 || left[1].Key != 0 || len(st.Writers) != 3 {
		t.Errorf("without 9: %+v", left)
	}
	for name, spoil := range map[string]func(*Storage){
		"clean":   func(s *Storage) { s.State = Clean },
		"key":     func(s *Storage) { s.Writers[0].Key = -1 },
		"bytes":   func(s *Storage) { s.Writers[0].End = 7 },
		"strides": func(s *Storage) { s.Writers[0].Strides = []int64{1} },
		"item":    func(s *Storage) { s.Writers[0].Item = 0 },
		"shape":   func(s *Storage) { s.Writers[0].Shape[1] = -1 },
		"offset":  func(s *Storage) { s.Writers[0].Offset = -1 },
		"who":     func(s *Storage) { s.Writers[1].Who = string(make([]byte, MaxTextBytes+1)) },
		"many":    func(s *Storage) { s.Writers = make([]Writer, MaxWriters+1) },
	} {
		st.Writers = sampleWriters()
		bad := st
		spoil(&bad)
		if err := bad.check(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := decodeStorage(bad.ID, encodeStorage(&bad)); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
}

func sampleJob() Job {
	r := sampleRecord()
	return Job{
		Record: r, ColumnMajor: true, Sparse: true, Replace: true, Seal: true, Kind: JobEval, State: JobFailed, Err: "no space", Writer: "pid 7", Boot: "b",
		Created: time.Unix(1, 2).UTC(), Updated: time.Unix(3, 4).UTC(), Total: 900, Done: 800, SumsCheck: 77,
		From: JobFile{Path: "/x", Offset: 128, BigEndian: true, Identity: Identity{1, 2, 3, 4}},
		Text: "x = a*k", Group: "g", Vars: []JobVar{{"k", dtype.ScalarOf(complex(1, -2))}, {"n", dtype.ScalarOf(int8(-3))}}, As: dtype.Float32,
		Inputs:     []Input{{"a", 4, ID{2}, 9}},
		More:       []Record{partRecord(1), partRecord(2)},
		Checkpoint: JobCheckpoint{Plan: 1 << 60, Pass: 3, Done: 4, Of: 5, Grain: 6, StateFile: 2, StateBytes: 7, StateCheck: 1 << 31},
	}
}

// partRecord is another tensor that sampleJob makes.
func partRecord(i int) Record {
	r := sampleRecord()
	r.Name, r.Storage = fmt.Sprintf("more/%d", i), r.Storage.Part(i)
	return r
}

func TestJobRoundTrip(t *testing.T) {
	for _, j := range []Job{sampleJob(), {Record: sampleRecord(), From: JobFile{Path: "/x"}}} {
		back, err := decodeJob(j.ID(), encodeJob(&j))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(j, back, cmp.Comparer(func(a, b dtype.Scalar) bool { return a == b })); diff != "" {
			t.Error(diff)
		}
	}
}

func TestBadJobs(t *testing.T) {
	for name, spoil := range map[string]func(*Job){
		"done":   func(j *Job) { j.Done = j.Total + 1 },
		"kind":   func(j *Job) { j.Kind = numJobKinds },
		"state":  func(j *Job) { j.State = numJobStates },
		"text":   func(j *Job) { j.Text = "" },
		"path":   func(j *Job) { j.Kind, j.From.Path = JobImport, "x" },
		"blob":   func(j *Job) { j.Record = Record{Name: "x", Kind: KindBlob, Blob: FloatValue(1)} },
		"name":   func(j *Job) { j.Record.Name = "" },
		"inputs": func(j *Job) { j.Inputs[0].Name = "" },
		"more":   func(j *Job) { j.More[1].Storage = j.More[0].Storage },
		"copy":   func(j *Job) { j.Kind = JobCopy },
		"more blobs": func(j *Job) {
			j.More[0] = Record{Name: "x", Kind: KindBlob, Blob: FloatValue(1), Storage: j.ID().Part(1)}
		},
		"more names": func(j *Job) { j.More[0].Name = "/" },
		"pass":       func(j *Job) { j.Checkpoint.Pass = -1 },
		"of":         func(j *Job) { j.Checkpoint.Of = 3 },
		"state file": func(j *Job) { j.Checkpoint.StateFile = 3 },
		"no file":    func(j *Job) { j.Checkpoint.StateFile = 0 },
	} {
		j := sampleJob()
		spoil(&j)
		if err := j.check(); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, err := decodeJob(sampleJob().ID(), encodeJob(&j)); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
	j := sampleJob()
	if _, err := decodeJob(ID{9}, encodeJob(&j)); err == nil {
		t.Error("decoded under another id")
	}
}

func FuzzJob(f *testing.F) {
	j := sampleJob()
	f.Add(encodeJob(&j))
	f.Add(encodeJob(&Job{Record: sampleRecord(), From: JobFile{Path: "/x"}}))
	f.Fuzz(func(t *testing.T, message []byte) {
		j, err := decodeJob(ID{1}, message)
		if err != nil {
			return
		}
		back, err := decodeJob(ID{1}, encodeJob(&j))
		if err != nil {
			t.Fatalf("%+v does not decode again: %v", j, err)
		}
		if again := encodeJob(&back); !bytes.Equal(again, encodeJob(&j)) {
			t.Fatalf("%+v became %+v", j, back)
		}
	})
}

func FuzzSmallMessages(f *testing.F) {
	f.Add(encodePatch(Patch{Offset: 5, Bytes: []byte("abc")}))
	f.Add(encodePatch(Patch{Offset: 5, Bytes: []byte("abc"), More: []Run{{9, []byte("d")}}}))
	f.Add(encodeMeta(Meta{Store: ID{1}, Created: time.Unix(1, 0)}))
	f.Add(encodeMeta(Meta{Store: ID{1}, Lineage: ID{2}, Backup: Backup{ID: ID{3}, Seq: 4, Created: time.Unix(5, 0), From: "/s"}}))
	f.Add([]byte("storages/ab/cd.npy"))
	f.Add(encodeSnapshot(&Snapshot{ID: ID{1}, Seq: 2, Created: time.Unix(1, 0), Note: "note", Bytes: 3, Sum: 4}))
	f.Fuzz(func(t *testing.T, message []byte) {
		if p, err := decodePatch(message); err == nil {
			if back, err := decodePatch(encodePatch(p)); err != nil || !cmp.Equal(back, p) {
				t.Fatalf("%+v became %+v, %v", p, back, err)
			}
		}
		if m, err := decodeMeta(message); err == nil {
			if back, err := decodeMeta(encodeMeta(m)); err != nil || back != m {
				t.Fatalf("%+v became %+v, %v", m, back, err)
			}
		}
		if s, err := decodeSnapshot("x", message); err == nil {
			if back, err := decodeSnapshot("x", encodeSnapshot(&s)); err != nil || back != s {
				t.Fatalf("%+v became %+v, %v", s, back, err)
			}
		}
		_, _ = decodeTrashed(string(message), message)
		_, _ = parseFormat(message)
		if name, err := keyName(message); err == nil && !bytes.Equal(nameKey(name), message) {
			t.Fatalf("key %q became %q", message, nameKey(name))
		}
	})
}

func TestUnsealFuture(t *testing.T) {
	for _, tc := range []struct {
		bucket  string
		version byte
	}{{namesBucket, 9}, {namesBucket, runsVersion}, {patchesBucket, runsVersion + 1}, {patchesBucket, 0}} {
		value := wire.Seal(tc.version, tc.bucket, []byte("k"), []byte("m"))
		if _, err := unseal(tc.bucket, []byte("k"), value); !errors.Is(err, ErrFuture) {
			t.Errorf("version %d in %s: got %v, want ErrFuture", tc.version, tc.bucket, err)
		}
	}
}

func TestFutureKinds(t *testing.T) {
	if _, err := decodeRecord("x", appendUint(nil, 1, 7)); !errors.Is(err, ErrFuture) {
		t.Errorf("record kind 7: %v", err)
	}
	if _, err := decodeStorage(ID{1}, appendUint(nil, 7, 99)); !errors.Is(err, ErrFuture) {
		t.Errorf("storage state 99: %v", err)
	}
	value := func(message []byte) (v Value, err error) {
		err = wire.Decode(message, &v, (*Value).fields)
		return v, err
	}
	if _, err := value(appendUint(nil, 11, 1)); !errors.Is(err, ErrFuture) {
		t.Errorf("value kind 11: %v", err)
	}
	text := StringValue("a")
	if v, err := value(appendUint(wire.Encode(&text, (*Value).fields), 11, 1)); err != nil || v != text {
		t.Errorf("a string with a field more: %v, %v", v, err)
	}
	if _, err := decodeRecord("x", encodeRecord(&Record{Kind: KindBlob})); err == nil || errors.Is(err, ErrFuture) {
		t.Errorf("no value: %v", err)
	}
	if _, err := decodeRecord("x", protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), "float128")); !errors.Is(err, ErrFuture) {
		t.Errorf("dtype float128: %v", err)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"kitten", "sitting", 3}, {"abcdef", "uvwxyz", 4}} {
		if got := distance(c.a, c.b, 3); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
