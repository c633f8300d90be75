package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// partChild opens a part for writing in place, fills it with a value when its standard input says
// so, and closes it at the end of that.
func partChild(ctx context.Context, s *tstore.Store, args []string) error {
	v, err := strconv.ParseFloat(args[1], 64)
	if err != nil {
		return err
	}
	w, err := s.OpenWritable(ctx, args[0])
	if err != nil {
		return err
	}
	fmt.Println("open")
	in := bufio.NewReader(os.Stdin)
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return w.Close()
		}
		if err := view.Fill(context.Background(), w.Tensor, dtype.ScalarOf(v)); err != nil {
			return err
		}
		fmt.Println("filled")
	}
}

// partWriter is a process that writes part of a tensor.
type partWriter struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startPart(t *testing.T, dir, sel string, v float64) *partWriter {
	t.Helper()
	p := &partWriter{t: t, cmd: exec.Command(os.Args[0], dir, sel, fmt.Sprint(v))}
	p.cmd.Env = append(os.Environ(), storetest.ChildEnv+"=part")
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	storetest.Must(t, err)
	out, err := p.cmd.StdoutPipe()
	storetest.Must(t, err)
	p.in, p.out = in, bufio.NewReader(out)
	storetest.Must(t, p.cmd.Start())
	p.want("open")
	return p
}

func (p *partWriter) want(said string) {
	p.t.Helper()
	if line, err := p.out.ReadString('\n'); line != said+"\n" {
		p.t.Fatalf("the child said %q, %v; want %q", line, err, said)
	}
}

func (p *partWriter) fill() {
	p.t.Helper()
	_, err := fmt.Fprintln(p.in)
	storetest.Must(p.t, err)
	p.want("filled")
}

func (p *partWriter) end() {
	p.t.Helper()
	storetest.Must(p.t, errors.Join(p.in.Close(), p.cmd.Wait()))
}

func (p *partWriter) kill() {
	p.t.Helper()
	storetest.Must(p.t, p.cmd.Process.Kill())
	p.cmd.Wait()
}

// TestWritersInProcesses has two processes write halves at the same time, kills one, and lets
// another go on.
func TestWritersInProcesses(t *testing.T) {
	s := storetest.NewStore(t)
	const n = 50_000
	storetest.Create(t, s, "x", storetest.Source(t, 0, n))
	first, second := startPart(t, s.Dir(), "x[:25000]", 7), startPart(t, s.Dir(), "x[25000:]", 8)
	first.fill()
	second.fill()
	_, err := s.OpenWritable(t.Context(), "x[24999:25001]")
	if !errors.Is(err, tstore.ErrBusy) {
		t.Fatalf("got %v, want ErrBusy", err)
	}
	storetest.WantMentioned(t, err, fmt.Sprintf("process %d (", first.cmd.Process.Pid), fmt.Sprintf("process %d (", second.cmd.Process.Pid), "x[:25000]", "bytes 200000 to 400000")
	wantParts(t, s, first, second)
	first.end()
	storetest.WantAll(t, s, "x[:25000]", 7)
	second.fill()
	second.end()
	storetest.WantAll(t, s, "x[25000:]", 8)

	first, second = startPart(t, s.Dir(), "x[:25000]", 9), startPart(t, s.Dir(), "x[25000:]", 10)
	first.fill()
	first.kill()
	second.fill()
	for _, p := range storetest.Problems(t, s.Dir()) {
		if p.Kind != tstore.ProblemDirty || !slices.Equal(p.Names, []string{"x"}) || !strings.Contains(p.Detail, "x[:25000]") || strings.Contains(p.Detail, "x[25000:]") {
			t.Errorf("%+v", p)
		}
	}
	for sel, opens := range map[string]bool{"x[:100]": false, "x[24000:25000]": false, "x[30000:]": false} {
		if w, err := s.OpenWritable(t.Context(), sel); err == nil != opens || !errors.Is(err, tstore.ErrDirty) && !errors.Is(err, tstore.ErrBusy) {
			t.Errorf("%s: %v, %v", sel, w, err)
		}
	}
	second.end()
	storetest.WantAll(t, s, "x[25000:]", 10)
	_, err = s.Get(t.Context(), "x[:3]")
	if !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("what a dead writer had: %v", err)
	}
	storetest.WantMentioned(t, err, "did not finish writing", fmt.Sprintf("process %d (", first.cmd.Process.Pid), "x[:25000]", "--accept-dirty")
	if _, err := s.CreateSnapshot(t.Context(), "s", ""); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("snapshot: %v, want ErrDirty", err)
	}
	w, err := s.OpenWritable(t.Context(), "x[25000:]")
	storetest.Must(t, err)
	storetest.Must(t, w.Close())
	_, err = s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"x"}})
	storetest.Must(t, err)
	if storetest.MapsFiles { // what is stored to a copy goes with its process
		storetest.WantAll(t, s, "x[:25000]", 9)
	}
	if st := storetest.Stat(t, s, "x").Storage; st.State != catalog.Clean || st.Writer != "" || len(st.Writers) > 0 {
		t.Errorf("accepted: %v %q %+v", st.State, st.Writer, st.Writers)
	}
}

// wantParts checks that both writers are listed.
func wantParts(t *testing.T, s *tstore.Store, all ...*partWriter) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	locks, err := s.Locks(t.Context())
	storetest.Must(t, err)
	if len(locks) != len(all) {
		t.Errorf("locks: %+v", locks)
	}
	for _, p := range all {
		if !slices.ContainsFunc(locks, func(l tstore.LockInfo) bool {
			return l.PID == p.cmd.Process.Pid && l.Part == p.cmd.Args[2] && l.End-l.First == 200_000 && l.Exclusive
		}) {
			t.Errorf("locks: %+v: process %d is missing", locks, p.cmd.Process.Pid)
		}
	}
}
