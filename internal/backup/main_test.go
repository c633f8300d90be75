package backup_test

import (
	"testing"

	"github.com/tstore/tstore/internal/storetest"
)

// children are what the test binary does when it is run again.
var children = map[string]func(args []string) error{
	"pair":    storetest.InStore(pairChild),
	"backup":  storetest.InStore(backupChild),
	"tar":     storetest.InStore(tarChild),
	"copy":    storetest.InStore(copyChild),
	"restore": storetest.InStore(restoreChild),
}

func TestMain(m *testing.M) { storetest.Main(m, children) }
