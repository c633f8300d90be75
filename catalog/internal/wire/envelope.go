package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/tstore/tstore/internal/sentinel"
)

const (
	// Version is the first byte of an envelope, unless a bucket has messages that older programs
	// must not read.
	Version = 1
	// MaxMessageBytes bounds a message.
	MaxMessageBytes = 16 << 20

	crcBytes = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Seal wraps a message as the value of key in bucket: version byte, message, CRC-32C of bucket,
// key, version and message.
func Seal(version byte, bucket string, key, message []byte) []byte {
	value := make([]byte, 0, 1+len(message)+crcBytes)
	value = append(value, version)
	value = append(value, message...)
	return binary.LittleEndian.AppendUint32(value, checksum(bucket, key, value))
}

// Unseal checks a value and returns the message inside it, without copying. It returns ErrFuture if
// the version byte is greater than newest.
func Unseal(newest byte, bucket string, key, value []byte) ([]byte, error) {
	if len(value) < 1+crcBytes || len(value) > 1+MaxMessageBytes+crcBytes {
		return nil, fmt.Errorf("value of %d bytes", len(value))
	}

	body, sum := value[:len(value)-crcBytes], binary.LittleEndian.Uint32(value[len(value)-crcBytes:])
	if found := checksum(bucket, key, body); found != sum {
		return nil, fmt.Errorf("checksum is %08x, expected %08x", found, sum)
	}
	if body[0] < Version || body[0] > newest {
		return nil, sentinel.Newer("a value", int(body[0]), int(newest))
	}
	return body[1:], nil
}

func checksum(bucket string, key, body []byte) uint32 {
	sum := crc32.Update(0, castagnoli, []byte(bucket))
	sum = crc32.Update(sum, castagnoli, key)
	return crc32.Update(sum, castagnoli, body)
}
