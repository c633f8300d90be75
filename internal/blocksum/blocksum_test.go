package blocksum_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/internal/blocksum"
)

const blockBytes = blocksum.BlockBytes

var id = blocksum.ID{1, 2, 3, 15: 9}

// payload is random bytes, the same in every run.
func payload(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(b)
	return b
}

// sumsOf sums block by block.
func sumsOf(b []byte) []uint64 {
	var sums []uint64
	for n := int64(0); len(b) > 0; n++ {
		block := b[:min(blockBytes, len(b))]
		sums = append(sums, blocksum.Of(id, n, block))
		b = b[len(block):]
	}
	return sums
}

func TestBadFindsDamage(t *testing.T) {
	const size = 5*blockBytes + 1000
	block := func(b []byte, n int) []byte { return b[n*blockBytes : min((n+1)*blockBytes, len(b))] }
	tests := []struct {
		name   string
		damage func(b []byte)
		want   []int64
	}{
		{"none", func([]byte) {}, nil},
		{"one bit", func(b []byte) { b[3*blockBytes+77] ^= 4 }, []int64{3}},
		{"first bit", func(b []byte) { b[0] ^= 1 }, []int64{0}},
		{"last bit", func(b []byte) { b[size-1] ^= 128 }, []int64{5}},
		{"zeroed", func(b []byte) { clear(block(b, 2)) }, []int64{2}},
		{"swapped", func(b []byte) {
			kept := bytes.Clone(block(b, 1))
			copy(block(b, 1), block(b, 4))
			copy(block(b, 4), kept)
		}, []int64{1, 4}},
		{"one block in the place of another", func(b []byte) { copy(block(b, 3), block(b, 2)) }, []int64{3}},
		{"all", func(b []byte) { clear(b) }, []int64{0, 1, 2, 3, 4, 5}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := payload(size)
			sums := sumsOf(b)
			test.damage(b)
			if diff := cmp.Diff(test.want, blocksum.Bad(id, sums, 0, b)); diff != "" {
				t.Errorf("bad blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlocksOfOtherStoragesAreBad(t *testing.T) {
	b := payload(2 * blockBytes)
	if got := blocksum.Bad(blocksum.ID{42}, sumsOf(b), 0, b); len(got) != 2 {
		t.Errorf("bad blocks = %v, want both", got)
	}
}

func TestCutBlockIsBad(t *testing.T) {
	b := payload(2*blockBytes + 500)
	if got := blocksum.Bad(id, sumsOf(b), 1, b[blockBytes:len(b)-1]); !cmp.Equal(got, []int64{2}) {
		t.Errorf("bad blocks = %v, want 2", got)
	}
}

func TestCollectorSumsPiecesInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 7*blockBytes + 12345} {
		for _, first := range []int64{0, 1} {
			b := payload(size)
			if first*blockBytes > int64(size) {
				continue
			}
			c := blocksum.NewCollector(id, first)
			var pieces [][2]int
			for off := int(first) * blockBytes; off < size; {
				n := min(1+random.IntN(2*blockBytes), size-off)
				pieces = append(pieces, [2]int{off, n})
				off += n
			}
			random.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
			var wait sync.WaitGroup
			for _, p := range pieces {
				wait.Go(func() { c.Add(b[p[0]:p[0]+p[1]], int64(p[0])) })
			}
			wait.Wait()
			got, err := c.Sums(int64(size))
			if err != nil {
				t.Fatalf("%d bytes from block %d: %v", size, first, err)
			}
			if want := sumsOf(b)[first:]; len(got) != len(want) || len(want) > 0 && !cmp.Equal(got, want) {
				t.Errorf("%d bytes from block %d: sums %x, want %x", size, first, got, want)
			}
		}
	}
}

func TestCollectorMissesBytes(t *testing.T) {
	b := payload(3 * blockBytes)
	tests := []struct {
		name string
		add  func(c *blocksum.Collector)
	}{
		{"none", func(*blocksum.Collector) {}},
		{"a block", func(c *blocksum.Collector) { c.Add(b[:blockBytes], 0); c.Add(b[2*blockBytes:], 2*blockBytes) }},
		{"the last byte", func(c *blocksum.Collector) { c.Add(b[:len(b)-1], 0) }},
		{"too many", func(c *blocksum.Collector) { c.Add(b, 0); c.Add(b[:1], int64(len(b))) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := blocksum.NewCollector(id, 0)
			test.add(c)
			if sums, err := c.Sums(int64(len(b))); err == nil {
				t.Errorf("Sums = %x, want an error", sums)
			}
		})
	}
}

func TestFile(t *testing.T) {
	b := payload(9*blockBytes + 1)
	sums := sumsOf(b)
	root := blocksum.Root(sums)
	h := blocksum.Header{Storage: id, Gen: 3, Payload: int64(len(b))}
	file := blocksum.Encode(h, sums)
	got, err := blocksum.Decode(bytes.NewReader(file), h, root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sums, got); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 1
		if _, err := blocksum.Decode(bytes.NewReader(bad), h, root); !errors.Is(err, blocksum.ErrFormat) {
			t.Errorf("byte %d flipped: %v, want ErrFormat", i, err)
		}
	}
	for n := range file {
		if _, err := blocksum.Decode(bytes.NewReader(file[:n]), h, root); !errors.Is(err, blocksum.ErrFormat) {
			t.Errorf("cut after %d bytes: %v, want ErrFormat", n, err)
		}
	}
	if _, err := blocksum.Decode(bytes.NewReader(append(file, 0)), h, root); !errors.Is(err, blocksum.ErrFormat) {
		t.Errorf("a byte too many: %v, want ErrFormat", err)
	}
	for _, other := range []blocksum.Header{{Storage: blocksum.ID{1}, Gen: 3, Payload: h.Payload}, {Storage: id, Gen: 4, Payload: h.Payload}, {Storage: id, Gen: 3, Payload: h.Payload - 1}} {
		if _, err := blocksum.Decode(bytes.NewReader(file), other, root); !errors.Is(err, blocksum.ErrFormat) {
			t.Errorf("header %+v: %v, want ErrFormat", other, err)
		}
	}
}

// The sums are part of the format: they must not change.
func TestSumsStayTheSame(t *testing.T) {
	b := payload(blockBytes + 10)
	got := sumsOf(b)
	if want := []uint64{0x37ced2130436c5bf, 0xfa39232ee1f78e8}; !cmp.Equal(got, want) {
		t.Errorf("sums = %#x, want %#x", got, want)
	}
	if got, want := fmt.Sprintf("%x", blocksum.Root([]uint64{1, 2})), "556c70b5fae5b2a44967295965e4d325"; got != want {
		t.Errorf("root = %s, want %s", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	h := blocksum.Header{Storage: id, Payload: 2 * blockBytes}
	sums := []uint64{5, 6}
	f.Add(blocksum.Encode(h, sums))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := blocksum.Decode(bytes.NewReader(b), h, blocksum.Root(sums))
		if err == nil && !cmp.Equal(got, sums) {
			t.Errorf("Decode = %x with no error, want %x", got, sums)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	p := payload(blockBytes)
	b.SetBytes(blockBytes)
	for b.Loop() {
		blocksum.Of(id, 1, p)
	}
}

func BenchmarkCollector(b *testing.B) {
	p := payload(1 << 20)
	b.SetBytes(64 << 20)
	b.ReportAllocs()
	for b.Loop() {
		c := blocksum.NewCollector(id, 0)
		c.Add(p[:len(p)-4096], 0)
		for off := int64(len(p) - 4096); off < 64<<20; off += int64(len(p)) {
			c.Add(p, off)
		}
	}
}
