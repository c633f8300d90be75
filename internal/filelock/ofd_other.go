//go:build !linux && !darwin && !windows

package filelock

func openFile(string, Mode) (int, error)       { return -1, ErrUnsupported }
func closeFile(int) error                      { return ErrUnsupported }
func setLock(int, int64, Mode) error           { return ErrUnsupported }
func waitLock(int, int64, Mode) error          { return ErrUnsupported }
func queryLock(int, int64, Mode) (bool, error) { return false, ErrUnsupported }
func release(int, int64) error                 { return ErrUnsupported }
func isNamed(int, string) (bool, error)        { return false, ErrUnsupported }
