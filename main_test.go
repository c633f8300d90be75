package tstore_test

import (
	"testing"

	"github.com/tstore/tstore/internal/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, nil) }
