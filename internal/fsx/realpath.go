package fsx

import "path/filepath"

// RealPath follows the links of a path, as far as that is there.
func RealPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	if parent := filepath.Dir(p); parent != p {
		return filepath.Join(RealPath(parent), filepath.Base(p))
	}
	return p
}
