package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tstore/tstore"
)

// damageMain breaks something in the store DIR, for scripts about fsck and gc:
//
//	damage DIR missing NAME   the data file of NAME is moved to DIR/../lost.npy
//	damage DIR restore NAME   it is moved back
//	damage DIR short NAME     its last byte is cut off
//	damage DIR header NAME    its header is overwritten
//	damage DIR flip NAME N    byte N of its data file changes
//	damage DIR dirty NAME     an in-place writer dies
//	damage DIR orphan         a data file that nothing names appears
func damageMain() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: damage DIR WHAT [NAME]")
		os.Exit(2)
	}
	if err := damage(context.Background(), os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func damage(ctx context.Context, dir, what string, names []string) error {
	if what == "orphan" {
		folder := filepath.Join(dir, "storages", "ab")
		return errors.Join(os.MkdirAll(folder, 0o755),
			os.WriteFile(filepath.Join(folder, "ab0000000000000000000000000000cd.npy"), make([]byte, 10_000), 0o644))
	}
	s, err := tstore.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	info, err := s.Stat(ctx, names[0])
	if err != nil {
		return err
	}
	file, lost := dataFile(s, info.Storage), filepath.Join(filepath.Dir(s.Dir()), "lost.npy")
	switch what {
	case "missing":
		return os.Rename(file, lost)
	case "restore":
		return os.Rename(lost, file)
	case "short":
		return os.Truncate(file, info.Storage.HeaderBytes+info.Storage.PayloadBytes-1)
	case "header":
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte("garbage"), 0)
		return errors.Join(err, f.Close())
	case "flip":
		return flipByte(file, names[1])
	case "dirty":
		_, err := s.OpenWritable(ctx, names[0])
		return err
	default:
		return fmt.Errorf("can't damage %q", what)
	}
}

func flipByte(file, at string) error {
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b := make([]byte, 1)
	_, err = f.ReadAt(b, n)
	b[0] ^= 1
	_, failed := f.WriteAt(b, n)
	return errors.Join(err, failed, f.Close())
}
