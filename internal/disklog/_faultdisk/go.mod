module github.com/tstore/tstore/internal/disklog/faultdisk

go 1.26.0

require (
	github.com/hanwen/go-fuse/v2 v2.12.1
	github.com/tstore/tstore v0.0.0
)

require golang.org/x/sys v0.49.0 // indirect

replace github.com/tstore/tstore => ../../..
