package stream_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/compute/internal/stream"
	"github.com/tstore/tstore/mmapstore"
)

// Sums the bytes of a file, chunk by chunk, without keeping it in memory.
func Example() {
	dir, err := os.MkdirTemp("", "stream")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const chunkBytes, numChunks = 1 << 20, 20
	data, err := mmapstore.Map(filepath.Join(dir, "data"), 0, chunkBytes*numChunks, mmapstore.Create, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer data.Release()

	s := stream.Start(context.Background(), []stream.Operand{{
		Storage: data,
		Range:   func(chunk int) (off, n int64) { return int64(chunk) * chunkBytes, chunkBytes },
	}}, numChunks, &stream.Options{DropBehind: true})
	sum := 0
	for chunk := range numChunks {
		if err := s.Wait(chunk); err != nil {
			log.Fatal(err)
		}
		err := data.With(func(b []byte) error {
			for _, v := range b[chunk*chunkBytes:][:chunkBytes] {
				sum += int(v) + 1
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
		s.Done(chunk)
	}
	fmt.Println(sum, s.Close())
	// Output: 20971520 <nil>
}
