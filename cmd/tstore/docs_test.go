package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestDocs holds docs/cli.md against the commands: each has a section in the section of its group,
// with every flag and with the line of its arguments, and no section is without a command.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := docSections(string(text))
	root := newRoot(&app{})
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		section, ok := sections[cmd.Name()]
		if !ok {
			t.Errorf("docs/cli.md has no section %q", "### tstore "+cmd.Name())
			continue
		}
		delete(sections, cmd.Name())
		checkSection(t, root, cmd, section)
	}
	for name := range sections {
		t.Errorf("docs/cli.md has a section for %q, which is no command", name)
	}
	for _, e := range exits {
		if row := "| " + strconv.Itoa(e.code) + " | " + e.meaning + " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/cli.md lacks the exit code line %q", row)
		}
	}
}

// docSection is the part of the page about one command.
type docSection struct{ group, text string }

func docSections(text string) map[string]docSection {
	sections := map[string]docSection{}
	for part := range strings.SplitSeq(text, "\n## ") {
		group, rest, _ := strings.Cut(part, "\n")
		for i, section := range strings.Split(rest, "\n### tstore ") {
			if i == 0 {
				continue
			}
			name, body, _ := strings.Cut(section, "\n")
			sections[name] = docSection{group: group, text: body}
		}
	}
	return sections
}

func checkSection(t *testing.T, root, cmd *cobra.Command, section docSection) {
	t.Helper()
	for _, group := range root.Groups() {
		if group.ID == cmd.GroupID && group.Title != section.group+":" {
			t.Errorf("docs/cli.md has %s under %q, help under %q", cmd.Name(), section.group, group.Title)
		}
	}
	if cmd.GroupID == "" {
		t.Errorf("command %s is in no group", cmd.Name())
	}
	if cmd.Name() == "completion" {
		return
	}
	if !strings.Contains(section.text, "\n    tstore "+cmd.Use) {
		t.Errorf("docs/cli.md, %s: no line begins with %q", cmd.Name(), "    tstore "+cmd.Use)
	}
	if !strings.Contains(cmd.Example, "tstore "+cmd.Name()) {
		t.Errorf("command %s has no example in its help", cmd.Name())
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden && !strings.Contains(section.text, "--"+f.Name) {
			t.Errorf("docs/cli.md, %s: flag --%s is not described", cmd.Name(), f.Name)
		}
	})
}
