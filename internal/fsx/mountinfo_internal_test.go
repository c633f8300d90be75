package fsx

import "testing"

const mountsForTest = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw - proc proc rw
30 22 0:40 / /mnt/nas rw,relatime shared:7 master:2 - nfs4 server:/export rw,vers=4.2
31 22 0:41 / /mnt/with\040blank\134x rw - fuse.sshfs me@host:/ rw
32 22 0:42 / /mnt/nas/local rw - xfs /dev/sdb1 rw
33 22 0:40 /data /srv/bound rw - nfs4 server:/export rw
34 22 8:1 /home /mnt/over rw - ext4 /dev/sda1 rw
35 34 0:43 / /mnt/over rw - cifs //server/share rw
36 22 0:44 / /hidden/deep rw - nfs server:/ rw
37 22 8:17 / /hidden rw - ext4 /dev/sdb2 rw
38 22 0:50 /@home /pool rw - btrfs /dev/sdc rw
39 22 0:51 / /old rw
garbage
40 22 0:52 / /nasty - -
`

func TestMountType(t *testing.T) {
	for _, test := range []struct {
		path         string
		major, minor uint32
		want         string
	}{
		{"/home/me", 8, 1, "ext4"},
		{"/", 8, 1, "ext4"},
		{"/mnt/nas", 0, 40, "nfs4"},
		{"/mnt/nas/store", 0, 40, "nfs4"},
		{"/mnt/nasty", 8, 1, "ext4"},
		{"/mnt/nas/local/store", 0, 42, "xfs"},
		{"/mnt/with blank\\x/store", 0, 41, "fuse.sshfs"},
		{"/srv/bound/store", 0, 40, "nfs4"},
		{"/mnt/over/store", 0, 43, "cifs"},      // the later of two on one folder
		{"/hidden/deep/store", 8, 17, "ext4"},   // a mount that another hides
		{"/pool/store", 0, 99, "btrfs"},         // subvolumes have devices of their own
		{"/mnt/nas/local/store", 0, 40, "nfs4"}, // opened before the inner mount was made
		{"/old/store", 8, 1, "ext4"},            // a line that is cut
	} {
		if got := mountType(mountsForTest, test.path, test.major, test.minor); got != test.want {
			t.Errorf("%s on %d:%d: got %q, want %q", test.path, test.major, test.minor, got, test.want)
		}
	}
	if got := mountType("", "/x", 8, 1); got != "" {
		t.Errorf("without mounts: %q", got)
	}
}

func FuzzMountType(f *testing.F) {
	f.Add(mountsForTest, "/mnt/nas/x")
	f.Add(`1 1 0:1 / /a\04 \999 x - t`, "/a")
	f.Fuzz(func(_ *testing.T, text, path string) { mountType(text, path, 0, 40) })
}
