package mmapstore_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/tstore/tstore/mmapstore"
)

// childEnv names the body that a process started by runChild runs instead of the tests.
const childEnv = "MMAPSTORE_TEST_CHILD"

// children are what a child process can do. It prints what it found out.
var children = map[string]func(dir string){}

func TestMain(m *testing.M) {
	if body := children[os.Getenv(childEnv)]; body != nil {
		body(os.Getenv(childEnv + "_DIR"))
		return
	}
	code := m.Run()
	for _, u := range mmapstore.Stats() {
		if u.Blocks != 0 || u.Bytes != 0 {
			fmt.Printf("not released: %+v\n", u)
			code = 1
		}
	}
	if err := goleak.Find(); err != nil {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}

// runChild runs a body of children in a process of its own, which may die.
func runChild(t *testing.T, body string) (output string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+body, childEnv+"_DIR="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// must ends the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// period has no zeros and a length that fits no page.
var period = func() (b []byte) {
	for i := range 251 {
		b = append(b, byte(i)+1)
	}
	return b
}()

// pattern is n bytes without zeros that do not repeat with the page size.
func pattern(n int) []byte { return bytes.Repeat(period, n/len(period)+1)[:n:n] }

// dataFile makes a file of n pattern bytes.
func dataFile(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	must(t, os.WriteFile(path, pattern(n), 0o644))
	return path
}

// mapped maps a file and releases it when the test ends, unless the test did.
func mapped(t testing.TB, path string, offset, size int64, mode mmapstore.Mode) *mmapstore.Storage {
	t.Helper()
	s, err := mmapstore.Map(path, offset, size, mode, nil)
	must(t, err)
	t.Cleanup(func() { releaseAll(s) })
	return s
}

// releaseAll gives back all references that are left.
func releaseAll(s *mmapstore.Storage) {
	for s.Release() == nil {
	}
}

// wantBytes compares the whole content.
func wantBytes(t testing.TB, s *mmapstore.Storage, want []byte) {
	t.Helper()
	err := s.With(func(b []byte) error {
		if !bytes.Equal(b, want) {
			return fmt.Errorf("%d bytes differ from the %d wanted", len(b), len(want))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
