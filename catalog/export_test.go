package catalog

// Damage helpers for tests: they write what a broken disk, or an attacker, could.

// ResumMetas makes the checksums of both meta pages of a bbolt file right again.
func ResumMetas(file []byte, pageSize int) {
	for _, at := range []int{pageHeader, pageSize + pageHeader} {
		if at+metaBytes <= len(file) {
			resum(file[at : at+metaBytes])
		}
	}
}

// Reseal makes the value of a key, written by seal, carry another message.
func Reseal(bucket string, key, message []byte) []byte { return seal(bucket, key, message) }

// NameKey returns the key of a name.
func NameKey(name string) []byte { return nameKey(name) }
