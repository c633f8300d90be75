package filelock_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/tstore/tstore/internal/filelock"
)

func Example() {
	dir, err := os.MkdirTemp("", "filelock")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "lock")

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	held, err := filelock.Lock(ctx, path, 1<<40, filelock.Exclusive)
	if errors.Is(err, filelock.ErrUnsupported) {
		return
	}
	if err != nil {
		log.Fatal(err)
	}
	_, err = filelock.TryLock(path, 1<<40, filelock.Shared)
	fmt.Println(errors.Is(err, filelock.ErrHeld))
	if err := held.Unlock(); err != nil {
		log.Fatal(err)
	}
	// Output: true
}
