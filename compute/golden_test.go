package compute_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// A goldenCase is one line of golden/expressions.txt.gz, which testdata/golden.py explains.
type goldenCase struct {
	tolerance string
	text      string
	inputs    []goldenInput
	dtype     dtype.Type
	shape     []int
	elements  string // in hexadecimal, or a hash
}

// A goldenInput is an operand: elements of a pool, and where they lie.
type goldenInput struct {
	name        string
	dtype       dtype.Type
	pool        []byte
	start, step int
	layout      tensortest.Layout
}

// maxReported is how many failures a run prints.
const maxReported = 20

func TestGolden(t *testing.T) {
	t.Parallel()
	checkGolden(t, nil, 1)
}

// TestGoldenMachineCode is TestGolden with machine code wherever there is some: with -long all of
// it, else every third case.
func TestGoldenMachineCode(t *testing.T) {
	t.Parallel()
	if jit.ISA() == "" {
		t.Skip("no machine code for this processor or system: TestGolden computes the same")
	}
	step := 5
	if *compute.Long {
		step = 1
	}
	checkGolden(t, &compute.Options{Backend: compute.BackendMachineCode}, step)
}

// TestGoldenDevice is TestGolden on a device, as far as it has code.
func TestGoldenDevice(t *testing.T) {
	t.Parallel()
	step := 29
	if *compute.Long {
		step = 1
	}
	d := devicetest.New(nil)
	checkGolden(t, &compute.Options{Device: d}, step)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if n := d.Stats().Launches; n < 3000/int64(step) {
		t.Errorf("%d launches", n)
	}
}

// checkGolden computes one of so many cases.
func checkGolden(t *testing.T, o *compute.Options, step int) {
	cases, err := goldenCases()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 8000 {
		t.Errorf("only %d cases", len(cases))
	}
	failed := 0
	for i := 0; i < len(cases); i += step {
		c := cases[i]
		err := c.check(t, o)
		if err == nil {
			continue
		}
		if failed++; failed <= maxReported {
			t.Errorf("%s\n  of %v\n  %v", c.text, c.inputs, err)
		}
	}
	if failed > maxReported {
		t.Errorf("%d of %d cases failed", failed, len(cases))
	}
}

// check computes the case and says how the result differs.
func (c *goldenCase) check(t *testing.T, o *compute.Options) error {
	operands := map[string]*view.Tensor{}
	for _, in := range c.inputs {
		operands[in.name] = in.tensor(t)
	}
	got, err := evaluate(t.Context(), c.text, operands, o)
	switch {
	case c.tolerance == "error" && err == nil:
		return errors.New("no error")
	case c.tolerance == "error":
		return nil
	case err != nil:
		return err
	case got.dtype != c.dtype || !slices.Equal(got.shape, c.shape):
		return fmt.Errorf("got %v %v, want %v %v", got.dtype, got.shape, c.dtype, c.shape)
	}
	return c.compare(got.elements)
}

// elements are what an evaluation made, packed in C order.
type elements struct {
	dtype    dtype.Type
	shape    []int
	elements []byte
}

// evaluate runs a program over named tensors. What it returns is what the last statement makes, or
// all of the tensor that it changes: targets among the operands are written in place where the
// operator or a chain asks for that.
func evaluate(ctx context.Context, text string, operands map[string]*view.Tensor, o *compute.Options) (elements, error) {
	stmts, err := compute.ParseProgram(text)
	if err != nil {
		return elements{}, err
	}
	changed := map[string]bool{}
	for _, s := range stmts {
		if s.Op != compute.Set || len(s.Chain) > 0 {
			changed[s.Target] = true
		}
	}
	find := func(name string) (*view.Tensor, error) {
		if x, ok := operands[name]; ok {
			return x, nil
		}
		return nil, fmt.Errorf("no tensor %q", name)
	}
	env := compute.Env{Lookup: find, InPlace: func(target string) (*view.Tensor, error) {
		if !changed[target] {
			return nil, nil
		}
		return operands[target], nil
	}}
	p, err := compute.NewPlan(ctx, stmts, env, o)
	if err != nil {
		return elements{}, err
	}
	defer p.Close()
	if err := p.Run(ctx); err != nil {
		return elements{}, err
	}
	result := p.Result(len(stmts) - 1)
	if target := stmts[len(stmts)-1].Target; p.Outputs()[len(stmts)-1].InPlace {
		result = operands[target]
	}
	out := elements{dtype: result.DType(), shape: result.Shape(), elements: make([]byte, 0, result.NumBytes())}
	err = result.Blocks(1<<16, func(b []byte) error {
		out.elements = append(out.elements, b...)
		return nil
	})
	return out, err
}

// tensor lays the elements of the operand out.
func (in goldenInput) tensor(t testing.TB) *view.Tensor {
	size := in.dtype.Size()
	b := tensortest.Buffer(in.layout.Span*size, 0)
	n := len(in.pool) / size
	for i := range in.layout.Span {
		at := (in.start + i*in.step) % n * size
		copy(b[i*size:(i+1)*size], in.pool[at:])
	}
	return tensor(t, b, in.dtype, in.layout)
}

func (in goldenInput) String() string {
	return fmt.Sprintf("%s=%v%v strides %v", in.name, in.dtype, in.layout.Shape, in.layout.Strides)
}

// compare says where elements are not what the case wants.
func (c *goldenCase) compare(got []byte) error {
	canonical(got, c.dtype, c.tolerance == "0")
	if hash, ok := strings.CutPrefix(c.elements, "sha256:"); ok {
		if sum := sha256.Sum256(got); hex.EncodeToString(sum[:]) != hash {
			return errors.New("the elements have another hash")
		}
		return nil
	}
	want, err := hex.DecodeString(c.elements)
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes, want %d", len(got), len(want))
	}
	allowed := uint64(0)
	if n, ok := strings.CutPrefix(c.tolerance, "u"); ok {
		if allowed, err = strconv.ParseUint(n, 10, 64); err != nil {
			return err
		}
		canonical(want, c.dtype, false)
	}
	size := c.dtype.Size()
	for i := 0; i < len(got); i += size {
		x, y := dtype.Load(c.dtype, got[i:]), dtype.Load(c.dtype, want[i:])
		if d := distance(x, y); d > allowed {
			return fmt.Errorf("element %d is %v, want %v (%d units in the last place away, %d allowed)", i/size, x, y, d, allowed)
		}
	}
	return nil
}

// goldenCases are those of the file, which is read once.
var goldenCases = sync.OnceValues(readGolden)

func readGolden() ([]goldenCase, error) {
	f, err := os.Open(filepath.Join("testdata", "golden", "expressions.txt.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	pools := map[string][]byte{}
	var cases []goldenCase
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		switch {
		case strings.HasPrefix(lines.Text(), "#"):
		case fields[0] == "pool":
			if pools[fields[1]+":"+fields[2]], err = hex.DecodeString(fields[3]); err != nil {
				return nil, err
			}
		default:
			c, err := parseGolden(fields, pools)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", lines.Text(), err)
			}
			cases = append(cases, c)
		}
	}
	return cases, lines.Err()
}

func parseGolden(fields []string, pools map[string][]byte) (goldenCase, error) {
	c := goldenCase{tolerance: fields[0], text: fields[1]}
	for text := range strings.FieldsSeq(fields[2]) {
		in, err := parseInput(text, pools)
		if err != nil {
			return c, err
		}
		c.inputs = append(c.inputs, in)
	}
	if c.tolerance == "error" {
		return c, nil
	}
	var err1, err2 error
	c.dtype, err1 = dtype.Parse(fields[3])
	c.shape, err2 = integers(fields[4])
	c.elements = fields[5]
	return c, errors.Join(err1, err2)
}

// parseInput reads name=type:pool:start:step:span:shape:strides:offset.
func parseInput(text string, pools map[string][]byte) (in goldenInput, err error) {
	name, rest, _ := strings.Cut(text, "=")
	f := strings.Split(rest, ":")
	if len(f) != 8 {
		return in, fmt.Errorf("operand %q has %d fields", text, len(f))
	}
	in = goldenInput{name: name, pool: pools[f[0]+":"+f[1]]}
	in.layout.Name = text
	if in.dtype, err = dtype.Parse(f[0]); err != nil {
		return in, err
	}
	var lists [6][]int
	for i := range lists {
		if lists[i], err = integers(f[2+i]); err != nil {
			return in, err
		}
	}
	for i, to := range map[int]*int{0: &in.start, 1: &in.step, 2: &in.layout.Span, 5: &in.layout.Offset} {
		if len(lists[i]) != 1 {
			return in, fmt.Errorf("operand %q has %q where a number belongs", text, f[2+i])
		}
		*to = lists[i][0]
	}
	in.layout.Shape, in.layout.Strides = lists[3], lists[4]
	return in, nil
}

// integers reads numbers with commas between them.
func integers(text string) ([]int, error) {
	out := []int{}
	for field := range strings.SplitSeq(text, ",") {
		if field == "" {
			continue
		}
		v, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
