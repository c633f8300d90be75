package ptxcase

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Golden has what a device has computed.
type Golden struct {
	Device  string            // its name, capability and driver
	Results map[string]Result // by the names of instructions
}

// A Result is what an instruction computed of the operands of its Case.
type Result struct {
	Of  [sha256.Size]byte // the Sum of the case
	Out []byte
}

// Sum returns the hash of the module and of the operands.
func (c *Case) Sum() [sha256.Size]byte {
	return sha256.Sum256(append([]byte(c.Text), c.In...))
}

// Add adds the results of a case.
func (g *Golden) Add(c *Case, out []byte) {
	if g.Results == nil {
		g.Results = map[string]Result{}
	}
	g.Results[c.Name] = Result{c.Sum(), out}
}

// Check compares what the device has computed with results of a case.
func (g *Golden) Check(c *Case, out []byte) error {
	r, ok := g.Results[c.Name]
	switch {
	case !ok:
		return fmt.Errorf("%s was not run on %s", c.Name, g.Device)
	case r.Of != c.Sum():
		return fmt.Errorf("%s was run on %s with another module or other operands", c.Name, g.Device)
	}
	return c.Compare(out, r.Out)
}

// Write writes a golden file.
func (g *Golden) Write(w io.Writer) error {
	z := gzip.NewWriter(w)
	return errors.Join(json.NewEncoder(z).Encode(g), z.Close())
}

// Read reads a golden file.
func Read(r io.Reader) (*Golden, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	g := &Golden{}
	return g, json.NewDecoder(z).Decode(g)
}
