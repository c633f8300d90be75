package procmem

import (
	"os"
	"runtime"
	"testing"
)

func TestKilobytes(t *testing.T) {
	if got := kilobytes("\t    1204 kB\n"); got != 1204<<10 {
		t.Errorf("kilobytes = %d, want %d", got, 1204<<10)
	}
	if got := kilobytes("many"); got != 0 {
		t.Errorf("kilobytes of nonsense = %d, want 0", got)
	}
}

func TestReadThisProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	b := make([]byte, 32<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	u := Read(os.Getpid())
	runtime.KeepAlive(b)
	if u.Anon < int64(len(b)) || u.Peak < u.Anon {
		t.Errorf("Read = %+v, want at least the %d bytes just written", u, len(b))
	}
}
