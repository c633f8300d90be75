package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tstore/tstore/interchange/recognise"
)

// takenFile is a file that a command takes into the store. If it was found in a folder, in is that.
type takenFile struct{ path, in string }

// stem returns the name that a file's elements get by themselves: that of the file, behind those of
// the folders below the one that it was found in.
func (f takenFile) stem() (string, error) {
	if f.in == "" {
		return nameOfFile(f.path)
	}
	below, err := filepath.Rel(f.in, f.path)
	if err != nil {
		return "", err
	}
	parts := strings.Split(filepath.ToSlash(below), "/")
	for i, part := range parts {
		if i < len(parts)-1 {
			part += "." // a folder has no extension to lose
		}
		if parts[i], err = nameOfFile(part); err != nil {
			return "", err
		}
	}
	return strings.Join(parts, "/"), nil
}

// findFiles replaces folders among args by the files in them and in folders below, in the order of
// their names: .npy files, and with bare those of bare elements, too. It passes over what is hidden,
// and notes how many other files there are.
func (a *app) findFiles(args []string, bare bool) ([]takenFile, error) {
	var all []takenFile
	for _, arg := range args {
		fi, err := os.Stat(arg)
		if err != nil || !fi.IsDir() || !recognise.Folder(arg).IsZero() { // whoever opens it says what it is
			all = append(all, takenFile{path: arg})
			continue
		}
		found, others, err := filesIn(arg, bare)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s is a folder without a .npy file (--raw and --dtype take bare elements: %s)", printable(arg), strings.Join(rawExtensions, " "))
		}
		if others > 0 {
			a.note("%s: passed over %s", printable(arg), plural(others, "other file"))
		}
		all = append(all, found...)
	}
	return all, nil
}

// filesIn returns the files of elements in a folder, and the number of others.
func filesIn(dir string, bare bool) (found []takenFile, others int, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		ext := strings.ToLower(filepath.Ext(path))
		switch {
		case err != nil:
			return err
		case path == dir:
		case strings.HasPrefix(e.Name(), ".") && e.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(e.Name(), ".") || e.IsDir():
		case e.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0: // waits for another program
			others++
		case ext == ".npy" || bare && slices.Contains(rawExtensions, ext):
			found = append(found, takenFile{path: path, in: dir})
		default:
			others++
		}
		return nil
	})
	return found, others, err
}

// paths are those of files.
func paths(files []takenFile) []string {
	all := make([]string, len(files))
	for i, f := range files {
		all[i] = f.path
	}
	return all
}
