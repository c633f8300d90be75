package compute

import "github.com/tstore/tstore/compute/internal/linalg"

// Errors of matrices that have no inverse, factors or values.
var (
	ErrSingular      = linalg.ErrSingular      // solve, inv
	ErrNotPositive   = linalg.ErrNotPositive   // cholesky
	ErrNotFinite     = linalg.ErrNotFinite     // svd, svdvals, eigh, eigvalsh, lstsq
	ErrNoConvergence = linalg.ErrNoConvergence // likewise
)
