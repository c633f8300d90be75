package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/google/shlex"
	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// inTransactions are the commands that can be lines of a transaction: they change names, and make
// elements nobody sees before the commit.
var inTransactions = []string{"adopt", "attr", "blob", "cp", "create", "define", "eval", "import", "mv", "reduce", "rm", "view"}

// maxLineBytes bounds a line of a script.
const maxLineBytes = 1 << 20

func newTx(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "tx [FILE]",
		Short: "Run a script of commands as one transaction",
		Long: `Run the commands in FILE, one on each line, as one transaction: all they do becomes
visible at once, for every process, or none of it. Without FILE, or where it is -, the
script comes from standard input. Lines are those of the shell without the word
tstore: words in quotes are one, # begins a comment, and nothing is expanded. The
commands are

  ` + strings.Join(inTransactions, ", ") + `

They read what was committed before. A name that the transaction has changed can't be
read in it, except in one eval; views, renames and attributes of new names are fine.
When another writer changes what the script reads before it commits, nothing is done.
What is interrupted begins anew; the statements of one eval are all or nothing, too, and
go on with tstore job resume.`,
		Example: `  tstore tx publish.txt
  printf '%s\n' 'import new.npy --name next' 'rm current' 'mv next current' | tstore tx -`,
		GroupID: groupChange,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			lines, err := a.script(cmd.Context(), append(args, "-")[0])
			if err != nil {
				return err
			}
			return a.transact(cmd.Context(), lines)
		},
	}
}

// A scriptLine is one command of a script.
type scriptLine struct {
	number int
	words  []string
}

// script reads a script and checks what can be checked before anything is done.
func (a *app) script(ctx context.Context, file string) ([]scriptLine, error) {
	in, err := a.openStream(ctx, file)
	if err == nil && in == nil {
		in, err = os.Open(file)
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines, err := parseScript(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return lines, nil
}

// parseScript splits a script into the words of its lines.
func parseScript(r io.Reader) ([]scriptLine, error) {
	var lines []scriptLine

	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLineBytes)

	number := 0

	for in.Scan() {
		number++
		words, err := shlex.Split(in.Text())
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w: %s", number, err, in.Text())
		case len(words) == 0:
			continue
		case !slices.Contains(inTransactions, words[0]):
			return nil, fmt.Errorf("line %d: %q can't be part of a transaction: expected one of %s", number, words[0], strings.Join(inTransactions, ", "))
		}
		lines = append(lines, scriptLine{number, words})
	}

	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: longer than %d bytes: put elements in a file", number+1, maxLineBytes)
	} else if err != nil {
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	}

	return lines, nil
}

// transact runs lines in one transaction. What they print is printed after the commit.
func (a *app) transact(ctx context.Context, lines []scriptLine) error {
	var out bytes.Buffer

	err := a.changing(ctx, func(s *tstore.Store) error {
		return s.Update(ctx, func(tx *tstore.Tx) error {
			// The lines run in a copy of the application, whose store is the transaction and whose
			// output waits for the commit.
			within := *a
			within.within, within.stdin, within.stdout = tx.Store(), strings.NewReader(""), &out
			for _, line := range lines {
				name := fmt.Sprintf("line %d", line.number)
				tx.Step(name)
				if err := within.line(ctx, line.words); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return nil
		})
	})

	if errors.Is(err, context.Canceled) && !errors.Is(err, tstore.ErrInDoubt) {
		return errors.Join(errKeepsNothing, err)
	}
	if err != nil {
		return err
	}

	if _, err := out.WriteTo(a.stdout); err != nil {
		return err
	}

	a.note("committed %s", plural(len(lines), "command"))
	return nil
}

// errKeepsNothing says what an interruption leaves of a transaction.
var errKeepsNothing = errors.New("nothing of the transaction is kept: it begins anew, where one eval of several statements goes on with tstore job resume")

// errLineFlags refuses what belongs to the transaction.
var errLineFlags = errors.New("--store, --allow-dirty, --paranoid, --durability, --lock-timeout and --allow-network-fs belong to tstore tx, not to a line of it")

// line runs one command of a transaction.
func (a *app) line(ctx context.Context, words []string) error {
	line := *a

	root := a.tree(&line)

	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		for _, flag := range []string{"store", "allow-dirty", "paranoid", "durability", "lock-timeout", "allow-network-fs"} {
			if cmd.Flags().Changed(flag) {
				return errLineFlags
			}
		}
		line.words, line.quiet = args, line.quiet || a.quiet
		return line.chooseDevice(cmd)
	}

	root.SetArgs(protectNegative(root, words))
	root.SetIn(line.stdin)
	root.SetOut(line.stdout)
	root.SetErr(line.stderr)
	err := root.ExecuteContext(ctx)
	line.closeGPU()
	if err == nil {
		line.events.end()
	}
	return err
}
