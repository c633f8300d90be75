package blocksum_test

import (
	"fmt"

	"github.com/tstore/tstore/internal/blocksum"
)

func Example() {
	id := blocksum.ID{1}
	data := make([]byte, 100_000)
	c := blocksum.NewCollector(id, 0)
	c.Add(data[:30_000], 0)
	c.Add(data[30_000:], 30_000)
	sums, err := c.Sums(int64(len(data)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(sums), "blocks, bad:", blocksum.Bad(id, sums, 0, data))
	data[70_000] = 1
	fmt.Println("after a change, bad:", blocksum.Bad(id, sums, 0, data))
	// Output:
	// 2 blocks, bad: []
	// after a change, bad: [1]
}
