package engine

import (
	"fmt"

	"github.com/tstore/tstore/internal/fsx"
)

// networkFS returns the result of NetworkFS for a folder, which need not be there yet.
func networkFS(dir string) (fsType string, reach fsx.Reach) {
	fsType = fsx.FileSystem(dir)
	if reach = fsx.ReachOf(fsType); reach == fsx.Local {
		return "", reach
	}
	return fsType, reach
}

// MustBeLocal returns ErrNetworkFS if a folder is on a network file system.
func MustBeLocal(dir string) error {
	fsType, reach := networkFS(dir)
	if reach != fsx.Network {
		return nil
	}
	return fmt.Errorf("%w: it is on %s: keep the store on a local disk, and name arrays that lie here with: tstore adopt; or if this machine alone ever uses the store, say so with: --allow-network-fs (Options.AllowNetworkFS)", ErrNetworkFS, fsType)
}
