package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore/testdata"
)

func newDemo(a *app) *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show what tstore does, with real data in a store of its own",
		Long: `Run the usual commands on small real arrays that are part of this program, in a
temporary folder, and print each command and what it prints. It takes some
seconds and touches nothing else.`,
		Example: `  tstore demo
  tstore demo --keep try`,
		GroupID: groupStore,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.demo(cmd.Context(), keep)
		},
	}

	cmd.Flags().StringVar(&keep, "keep", "", "run in this new `FOLDER`, and keep it")
	return cmd
}

// demoStep is a command of the demonstration.
type demoStep struct {
	// about says what the command shows.
	about string
	// line is the command as a person types it, without "tstore".
	line string
	// code is the exit code that belongs to it.
	code int
}

// demoSteps is the demonstration. Words that end in .npy are files in its folder.
var demoSteps = []demoStep{
	{about: "A store is a folder.", line: "init"},
	{about: "Import .npy files: a volcano's heights, and a city's daily temperatures.", line: "import volcano.npy seattle_temp_max.npy"},
	{line: "attr volcano units m"},
	{line: "ls -l"},
	{line: "info volcano"},
	{about: "Imports are sealed with checksums. Compare them with what is on the disk.", line: "verify"},
	{about: "Look at a part. Only what is printed is read.", line: "show 'volcano[15:25:2, 20:34:2]'"},
	{about: "Name a part. A view shares the bytes; nothing is copied.", line: "view crater 'volcano[15:40, 20:40]'"},
	{line: "stats crater"},
	{about: "What is sealed nobody changes.", line: "fill 'crater[0, :3]' -1", code: 2},
	{about: "Unsealed, they change through the view. The whole sees it, a copy does not.", line: "unseal volcano"},
	{line: "cp volcano before"},
	{line: "fill 'crater[0, :3]' -1"},
	{line: "diff volcano before --limit 3", code: 1},
	{about: "Append rows.", line: "export 'seattle_temp_max[:7]' week.npy"},
	{line: "append seattle_temp_max week.npy"},
	{line: "get 'seattle_temp_max[-3:]'"},
	{about: "Export, and compare a file with a tensor.", line: "export crater crater.npy"},
	{line: "diff crater crater.npy"},
	{about: "Delete. The bytes stay while a view uses them.", line: "rm volcano"},
	{line: "ls -l"},
	{line: "rm crater before"},
	{about: "Nothing is left over, and all is well.", line: "gc"},
	{line: "fsck"},
}

// demo runs the demonstration in a new folder.
func (a *app) demo(ctx context.Context, keep string) (err error) {
	dir, err := demoFolder(keep)
	if err != nil {
		return err
	}

	if keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}

	if err := unpackDemo(dir); err != nil {
		return err
	}

	for _, step := range demoSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := a.demoStep(dir, step)
		if ctx.Err() != nil { // the step was ended by the signal that ends the demonstration
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}

	if keep != "" {
		a.note("kept: try tstore ls --store %s", printable(filepath.Join(keep, storeName)))
	}
	return nil
}

func demoFolder(keep string) (string, error) {
	if keep == "" {
		return os.MkdirTemp("", "tstore-demo-")
	}
	if err := os.Mkdir(keep, 0o755); err != nil {
		return "", fmt.Errorf("folder for the demonstration: %w", err)
	}
	return filepath.Abs(keep)
}

// unpackDemo writes the files that the demonstration imports.
func unpackDemo(dir string) error {
	for _, step := range demoSteps {
		if !strings.HasPrefix(step.line, "import ") {
			continue
		}
		for _, file := range strings.Fields(step.line)[1:] {
			b, err := testdata.FS.ReadFile(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, file), b, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// demoStep prints a command, runs it and prints what it prints, without the name of the folder.
func (a *app) demoStep(dir string, step demoStep) error {
	var b bytes.Buffer

	if step.about != "" {
		fmt.Fprintf(&b, "\n# %s\n", step.about)
	}
	fmt.Fprintf(&b, "$ tstore %s\n", step.line)

	var out bytes.Buffer
	args := append([]string{"--store", filepath.Join(dir, storeName)}, demoWords(dir, step.line)...)
	code := a.again(args, strings.NewReader(""), &out, &out)
	b.WriteString(strings.ReplaceAll(out.String(), dir+string(filepath.Separator), ""))

	if _, err := io.Copy(a.stdout, &b); err != nil {
		return err
	}

	if code != step.code {
		return fmt.Errorf("demo: tstore %s: expected exit code %d, found %d", step.line, step.code, code)
	}
	return nil
}

// demoWords splits a line at its spaces, but not inside quotes, and finds the files in dir.
func demoWords(dir, line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		for _, word := range strings.Fields(part) {
			if isNpyPath(word) {
				word = filepath.Join(dir, word)
			}
			words = append(words, word)
		}
	}
	return words
}
