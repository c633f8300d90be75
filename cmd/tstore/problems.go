package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/tstore/tstore"
)

// problemJSON is one finding of fsck, or one thing that it did.
type problemJSON struct {
	Kind       string   `json:"kind"`
	Names      []string `json:"names"`
	File       string   `json:"file"`
	Detail     string   `json:"detail"`
	Remedy     string   `json:"remedy"`
	Repairable bool     `json:"repairable"`
	Harmless   bool     `json:"harmless"`
	Repaired   bool     `json:"repaired"`
}

func (a *app) printProblems(list []tstore.Problem, repaired, asJSON bool) error {
	for _, p := range list {
		if err := a.printProblem(p, repaired, asJSON); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printProblem(p tstore.Problem, repaired, asJSON bool) error {
	if asJSON {
		return writeJSON(a.stdout, problemJSON{
			Kind: string(p.Kind), Names: notNil(p.Names), File: p.File, Detail: p.Detail, Remedy: p.Remedy,
			Repairable: p.Repairable, Harmless: p.Harmless, Repaired: repaired,
		})
	}
	_, err := io.WriteString(a.stdout, problemText(p, repaired))
	return err
}

// problemText describes a problem in several lines, one fact a line.
func problemText(p tstore.Problem, repaired bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", problemRank(p, repaired), p.Kind)
	line := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-7s %s\n", title, printable(text))
		}
	}
	line("names", strings.Join(quoteAll(p.Names[:min(len(p.Names), sharersInText)]), ", "))
	line("file", p.File)
	line("found", p.Detail)
	line("remedy", p.Remedy)
	return b.String()
}

func problemRank(p tstore.Problem, repaired bool) string {
	switch {
	case repaired:
		return "repaired"
	case p.Harmless:
		return "note"
	}
	return "problem"
}

// verdict prints the number of problems, and returns errFound if there is one.
func (a *app) verdict(found []tstore.Problem, asJSON bool) error {
	problems := 0
	for _, p := range found {
		if !p.Harmless {
			problems++
		}
	}

	if !asJSON {
		text := plural(problems, "problem") + ", " + plural(len(found)-problems, "note")
		if _, err := fmt.Fprintln(a.stdout, text); err != nil {
			return err
		}
	}

	if problems > 0 {
		return errFound
	}
	return nil
}
