// Gonum runs the rows of the benchmark that gonum can do: those of float64, on one thread. It
// speaks the protocol of the other workers; see bench/peers.
//
//	gonum A.npy B.npy C.npy BYTES
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// headerBytes is where the data of every storage file begins.
const headerBytes = 4096

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gonum:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("want 4 arguments, got %d", len(args))
	}

	size, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}

	a, err := mapped(args[0], size, false)
	if err != nil {
		return err
	}
	b, err := mapped(args[1], size, false)
	if err != nil {
		return err
	}
	c, err := mapped(args[2], size, true)
	if err != nil {
		return err
	}

	// The harness waits for this line before it sends the first row.
	rows := makeRows(a, b, c)
	fmt.Println("ready gonum", version())

	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		work, ok := rows[in.Text()]
		if !ok {
			fmt.Println("none")
			continue
		}
		start := time.Now()
		result := work()
		fmt.Printf("ok %.9f %.9g\n", time.Since(start).Seconds(), result())
	}

	return in.Err()
}

// makeRows returns the rows by name. Each does the work and returns what tells its result.

func makeRows(a, b, c []float64) map[string]func() func() float64 {
	number := func(f func() float64) func() func() float64 {
		return func() func() float64 {
			x := f()
			return func() float64 { return x }
		}
	}

	array := func(f func()) func() func() float64 {
		return func() func() float64 {
			f()
			return func() float64 { return sample(c) }
		}
	}

	return map[string]func() func() float64{
		"sum.f64":    number(func() float64 { return floats.Sum(a) }),
		"min.f64":    number(func() float64 { return floats.Min(a) }),
		"max.f64":    number(func() float64 { return floats.Max(a) }),
		"mean.f64":   number(func() float64 { return stat.Mean(a, nil) }),
		"var.f64":    number(func() float64 { return stat.PopVariance(a, nil) }),
		"norm.f64":   number(func() float64 { return floats.Norm(a, 2) }),
		"add.f64":    array(func() { floats.AddTo(c, a, b) }),
		"matmul.f64": product(a, b),
		"update.f64": array(func() {
			product := floats.MulTo(make([]float64, len(a)), a, b)
			floats.Add(c, product)
		}),
	}
}

// side is the number of rows and columns of the matrices that are multiplied.
const side = 2048

// product returns the work of multiplying the first elements of a and b, as squares.
func product(a, b []float64) func() func() float64 {
	square := func(x []float64) blas64.General { return blas64.General{Rows: side, Cols: side, Stride: side, Data: x} }
	return func() func() float64 {
		if min(len(a), len(b)) < side*side {
			return func() float64 { return math.NaN() }
		}
		c := square(make([]float64, side*side))
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, square(a), square(b), 0, c)
		return func() float64 { return sample(c.Data) }
	}
}

// sample returns the mean of elements spread over the array.
func sample(c []float64) float64 {
	sum, n := 0.0, 0.0
	for i := 0; i < len(c); i += 4097 {
		sum += c[i]
		n++
	}
	return sum / math.Max(n, 1)
}

// mapped returns the elements of a file as float64.
func mapped(path string, size int, write bool) ([]float64, error) {
	flag, prot := os.O_RDONLY, syscall.PROT_READ
	if write {
		flag, prot = os.O_RDWR, syscall.PROT_READ|syscall.PROT_WRITE
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := syscall.Mmap(int(f.Fd()), 0, headerBytes+size, prot, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %q: %w", path, err)
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&m[headerBytes])), size/8), nil
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, m := range info.Deps {
			if m.Path == "gonum.org/v1/gonum" {
				return m.Version
			}
		}
	}
	return "of unknown version"
}
