package storefile

import (
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
)

// SumsHeader begins the file of checksums of a sealed storage.
func SumsHeader(st catalog.Storage) blocksum.Header {
	return blocksum.Header{Storage: st.ID, Gen: st.Gen, Payload: st.Seal.PayloadBytes}
}
