// Command release writes the archives of a release to a folder: `make release` runs it.
//
//	release DIR [tstore-cuda]
//
// The programs are built from the commit that is checked out, so the same commit gives the same
// bytes with the same Go: every time in an archive is the commit's.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// nfpm makes packages of Debian's and Red Hat's kind. Newer versions need modules that not every
// module proxy has.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4"

// platforms are what archives are made for.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"darwin", "amd64"}, {"windows", "amd64"}}

type platform struct{ os, arch string }

// release is where the archives go, and what they are made of.
type release struct {
	dir, version string
	date         time.Time // of the commit
	cuda         string    // tstore-cuda for linux/amd64, or ""
	docs         []file    // manual pages, completions, licence
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: release DIR [tstore-cuda]")
		os.Exit(2)
	}
	if err := run(os.Args[1], append(os.Args, "")[2]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(dir, cuda string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	r := &release{dir: dir, cuda: cuda}
	if err := r.describe(); err != nil {
		return err
	}

	// What belongs to every archive comes from a program that runs here.
	if err := r.document(); err != nil {
		return err
	}
	for _, p := range platforms {
		if err := r.platform(p); err != nil {
			return fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
		}
	}
	return r.checksums()
}

// describe asks git for the commit's date, and for a version: its tag, or what follows the last one.
func (r *release) describe() error {
	seconds, err := output(nil, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.date = time.Unix(n, 0).UTC()

	version, err := output(nil, "git", "describe", "--tags", "--match", "v[0-9]*")
	if err != nil {
		hash, err := output(nil, "git", "log", "-1", "--format=%h", "--abbrev=12")
		if err != nil {
			return err
		}
		version = "v0.0.0-" + r.date.Format("20060102150405") + "-" + hash
	}
	r.version = strings.TrimPrefix(version, "v")
	return nil
}

// platform writes the archive, the list of parts and the packages of a platform.
func (r *release) platform(p platform) error {
	base := fmt.Sprintf("tstore_%s_%s_%s", r.version, p.os, p.arch)
	program := filepath.Join(r.dir, base)
	if err := r.build(p, program); err != nil {
		return err
	}
	defer os.Remove(program)

	files := []file{{from: program, to: "tstore" + p.suffix(), mode: 0o755}}
	if r.cuda != "" && p == (platform{"linux", "amd64"}) {
		files = append(files, file{from: r.cuda, to: "tstore-cuda", mode: 0o755})
	}
	if err := r.archive(p, base, append(files, r.docs...)); err != nil {
		return err
	}
	if err := r.parts(base, files); err != nil {
		return err
	}
	if p.os == "linux" {
		return r.packages(p, files)
	}
	return nil
}

func (p platform) suffix() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// build makes the program, without what only debuggers read.
func (r *release) build(p platform, to string) error {
	env := []string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0"}
	_, err := output(env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w", "-o", to, "./cmd/tstore")
	return err
}

// document writes the manual pages and completions.
func (r *release) document() error {
	program := filepath.Join(r.dir, "tstore")
	if _, err := output([]string{"CGO_ENABLED=0"}, "go", "build", "-o", program, "./cmd/tstore"); err != nil {
		return err
	}
	defer os.Remove(program)

	man, err := output([]string{"SOURCE_DATE_EPOCH=" + fmt.Sprint(r.date.Unix())}, program, "man", filepath.Join(r.dir, "man"))
	if err != nil {
		return fmt.Errorf("%w: %s", err, man)
	}
	defer os.RemoveAll(filepath.Join(r.dir, "man"))
	pages, err := filepath.Glob(filepath.Join(r.dir, "man", "*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := r.addDoc(page, "man/man1/"+filepath.Base(page)); err != nil {
			return err
		}
	}

	for shell, name := range map[string]string{"bash": "bash/tstore", "zsh": "zsh/_tstore", "fish": "fish/tstore.fish", "powershell": "powershell/tstore.ps1"} {
		text, err := output(nil, program, "completion", shell)
		if err != nil {
			return err
		}
		r.docs = append(r.docs, file{content: []byte(text + "\n"), to: "completions/" + name, mode: 0o644})
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		if err := r.addDoc(name, name); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) addDoc(from, to string) error {
	b, err := os.ReadFile(from)
	r.docs = append(r.docs, file{content: b, to: to, mode: 0o644})
	return err
}

// output runs a command and returns what it prints, without the last newline.
func output(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, problems.String())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
