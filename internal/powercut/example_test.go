package powercut_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/powercut"
)

// A file made without a sync can be missing, empty or there after a power cut.
func Example() {
	root, err := os.MkdirTemp("", "powercut")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	dir, image := filepath.Join(root, "dir"), filepath.Join(root, "image")
	if err := os.Mkdir(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	recorder, err := powercut.Record(dir, "")
	if err != nil {
		log.Fatal(err)
	}
	fsys := fsx.NewFaulty(fsx.OS)
	fsys.FailIf(recorder.Before)
	if err := write(fsys, filepath.Join(dir, "new"), false); err != nil {
		log.Fatal(err)
	}
	events, err := recorder.Log()
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	found := map[string]bool{}
	err = events.Cuts(func(c *powercut.Cut) error {
		for range 100 {
			if err := c.Write(image, rng, 0.5); err != nil {
				return err
			}
			found[content("new")(image)] = true
			if err := os.RemoveAll(image); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Printf("missing %v, empty %v, whole %v, %v\n", found["-"], found[""], found["abc"], err)
	// Output: missing true, empty true, whole true, <nil>
}
