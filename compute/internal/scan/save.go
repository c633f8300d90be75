package scan

import (
	"encoding/binary"
	"slices"
)

// saveVersion is raised when the words of a state change their meaning.
const saveVersion = 2

// Save returns what the first chunks, counted through all jobs, have found beside the results:
// totals of parts, or running results of columns. These chunks must be done, and no other begun.
func (s *Scan) Save(chunks int) []byte {
	b := s.saveHead(chunks)
	for _, c := range s.totals {
		b = c.appendTo(b)
	}
	if s.bands == nil {
		return b
	}
	for tile, c := range s.bands.carries {
		b = binary.LittleEndian.AppendUint64(b, uint64(s.bands.done[tile]))
		if c == nil {
			c = newCarry(s.tileCols(tile) * s.words)
		}
		b = c.appendTo(b)
	}
	return b
}

func (c *carry) appendTo(b []byte) []byte {
	for _, words := range [][]uint64{c.sum, c.lost} {
		for _, word := range words {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
	}
	return b
}

// tileCols returns the number of lines of a tile.
func (s *Scan) tileCols(tile int) int { return min(s.tile, s.width-tile*s.tile) }

// saveHead says what a state belongs to.
func (s *Scan) saveHead(chunks int) []byte {
	added := 0
	if jobs := s.Jobs(); len(jobs) == 2 && chunks > jobs[0].NumChunks() {
		added = 1
	}

	bands := 0
	if s.bands != nil {
		bands = s.bands.tilesOfGroup
	}

	var b []byte
	for _, v := range []int{
		saveVersion, chunks, added, int(s.spec.Op), int(s.spec.Type), int(s.spec.Element), s.words,
		s.length, s.part, s.parts, s.others, s.group, s.width, s.tile, s.tiles, len(s.totals), bands,
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}

	return b
}

// Load takes over a state that Save of a Scan of an equal Spec returned. Call it before any chunk
// begins. If b is not such a state, it changes nothing and returns false.
func (s *Scan) Load(b []byte, chunks int) bool {
	head := s.saveHead(chunks)
	words := 0
	for _, c := range s.totals {
		words += len(c.sum) + len(c.lost)
	}

	if s.bands != nil {
		words += s.tiles + 2*s.width*s.words
	}

	// Check everything before anything is changed: a state of another Spec leaves the scan as it
	// was.
	if len(b) != len(head)+8*words || !slices.Equal(b[:len(head)], head) {
		return false
	}
	b = b[len(head):]

	for _, c := range s.totals {
		b = c.take(b)
	}

	jobs := s.Jobs()
	s.added = len(jobs) == 2 && chunks > jobs[0].NumChunks()
	if s.bands == nil {
		return true
	}

	for tile := range s.bands.carries {
		s.bands.done[tile] = int(binary.LittleEndian.Uint64(b))
		c := newCarry(s.tileCols(tile) * s.words)
		b = c.take(b[8:])
		if s.bands.done[tile]%s.parts != 0 {
			s.bands.carries[tile] = c
		}
	}
	return true
}

func (c *carry) take(b []byte) []byte {
	for _, words := range [][]uint64{c.sum, c.lost} {
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(b)
			b = b[8:]
		}
	}
	return b
}
