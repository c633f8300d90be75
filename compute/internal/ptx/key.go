package ptx

import "github.com/tstore/tstore/compute/internal/jit"

// Key returns what differs for programs and layouts of which Compile makes different code. Whether
// outputs are to be stored past the caches makes no difference to the code, but to the key.
func Key(p *jit.Program, l *Layouts) string {
	var b []byte
	if l == nil {
		l = &Layouts{}
	}
	b = append(b, byte(l.Rank), byte(l.Rows), byte(len(l.Inputs)))
	for _, of := range l.Inputs {
		b = append(b, byte(of))
	}
	b = append(b, byte(len(l.Outputs)))
	for _, of := range l.Outputs {
		b = append(b, byte(of))
	}
	return string(p.AppendKey(b))
}
