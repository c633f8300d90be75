//go:build !linux

package mmapstore

func cachedBytes(*dataFile, int64, int64) (cached, dirty int64, ok bool) { return 0, 0, false }

func startWriteback(*dataFile, int64, int64) error { return nil }
func waitWriteback(*dataFile, int64, int64) error  { return nil }
