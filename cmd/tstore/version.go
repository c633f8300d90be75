package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// buildInfo is what the binary knows of its making.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Date     string `json:"date"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of tstore",
		Example: "  tstore version --json",
		GroupID: groupMaintain,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := readBuildInfo()
			if asJSON {
				return writeJSON(a.stdout, v)
			}
			_, err := fmt.Fprintln(a.stdout, v.text())
			return err
		},
	}

	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// text is one line: the version first, the revision and its date where they are known.
func (v buildInfo) text() string {
	text := "tstore " + v.Version
	if v.Revision != "" {
		text += fmt.Sprintf(" (revision %.12s of %s)", v.Revision, v.Date)
	}
	return text + fmt.Sprintf(" %s %s", v.Go, v.Platform)
}

// readBuildInfo describes this program.
func readBuildInfo() buildInfo {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		info = &debug.BuildInfo{}
	}
	v := buildInfoOf(info)
	v.Go, v.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	return v
}

// buildInfoOf returns what a program was built from.
func buildInfoOf(info *debug.BuildInfo) buildInfo {
	v := buildInfo{Version: "(devel)"}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}

	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}

	return v
}
