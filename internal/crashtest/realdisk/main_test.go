package realdisk_test

import (
	"testing"

	"github.com/tstore/tstore/internal/storetest"
)

// children are what the test binary does when it is run again.
var children = map[string]func(args []string) error{}

func TestMain(m *testing.M) { storetest.Main(m, children) }
