// Command faultdisk is a disk, or a folder, that goes wrong when it is told to, for the tests of
// real file systems (make crash-fs). It takes Linux, root and FUSE, and is a module of its own, so
// that users of tstore don't get what it needs.
//
//	faultdisk disk MOUNTPOINT IMAGE LOG
//
// shows the file IMAGE as MOUNTPOINT/disk, for a loop device. It has a volatile write cache: what
// it is told is noted in LOG, which package disklog reads. It obeys lines on its standard input,
// and answers each with "ok":
//
//	mark N               note N in the log
//	fail-reads FROM TO   reads that touch these bytes of the disk are EIO
//	fail-writes FROM TO  so are writes
//	fail-flushes N       so are flushes after the next N
//	slow-reads MS        each read takes so many milliseconds
//	heal                 no more of that
//
// and
//
//	faultdisk folder MOUNTPOINT FOLDER
//
// shows the folder FOLDER at MOUNTPOINT, as a file system that can reserve no space, and with
// unmapped in place of folder map no file either.
//
// Both print "ready" when they can be used, and end when their standard input does.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "faultdisk:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "disk":
		d, err := openDisk(args[2], args[3])
		if err != nil {
			return err
		}

		if err := serve(args[1], &diskRoot{disk: d}, d.obey); err != nil {
			return err
		}

		return d.close()
	case len(args) == 3 && (args[0] == "folder" || args[0] == "unmapped"):
		root, err := poorFolder(args[2], args[0] == "unmapped")
		if err != nil {
			return err
		}

		return serve(args[1], root, func(string) error { return fmt.Errorf("a folder obeys nothing") })
	}
	return fmt.Errorf("expected: disk MOUNTPOINT IMAGE LOG, or: folder|unmapped MOUNTPOINT FOLDER")
}

// serve shows root until the standard input ends.
func serve(mountpoint string, root fs.InodeEmbedder, obey func(line string) error) error {
	server, err := fs.Mount(mountpoint, root, &fs.Options{
		MountOptions: fuse.MountOptions{DirectMount: true, AllowOther: true, MaxWrite: 1 << 20, FsName: "faultdisk", DisableSplice: true},
	})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := obey(lines.Text()); err != nil {
			fmt.Printf("%q: %v\n", lines.Text(), err)
			continue
		}
		fmt.Println("ok")
	}
	return server.Unmount()
}
