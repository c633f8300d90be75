package archtest_test

import (
	"fmt"
	"testing/fstest"

	"github.com/tstore/tstore/internal/archtest"
)

func Example() {
	tree := fstest.MapFS{
		"go.mod":         {Data: []byte("module example.org/m\n")},
		"view/layout.go": {Data: []byte("package view\n\nimport _ \"example.org/m/catalog\"\n")},
	}
	breaches, err := archtest.Check(tree)
	if err != nil {
		fmt.Println(err)
	}
	for _, b := range breaches {
		fmt.Println(b)
	}
	// Output: view/layout.go:3: imports upward: catalog (layer catalog) lies above layer view
}
