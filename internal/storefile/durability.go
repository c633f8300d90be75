package storefile

import (
	"fmt"

	"github.com/tstore/tstore/internal/bootid"
)

// Durability says what committed changes survive.
type Durability uint8

// The levels of durability, as the API documents them.
const (
	DurabilityOfStore Durability = iota
	DurabilityPower
	DurabilityProcess
	DurabilityNone
)

var durabilityNames = [...]string{"store", "power", "process", "none"}

// String returns "power", "process" or "none", or "store" for DurabilityOfStore.
func (d Durability) String() string {
	if int(d) < len(durabilityNames) {
		return durabilityNames[d]
	}
	return fmt.Sprintf("Durability(%d)", uint8(d))
}

// ParseDurability reads what String returns.
func ParseDurability(text string) (Durability, error) {
	for i, name := range durabilityNames {
		if text == name {
			return Durability(i), nil
		}
	}
	return 0, fmt.Errorf("durability %q: expected power, process, none or store", text)
}

// Level returns the durability of a handle on a store that was made with another level. Only a
// store that was made to be lost can be.
func (d Durability) Level(made Durability) (Durability, error) {
	switch {
	case d > DurabilityNone:
		return d, fmt.Errorf("%v: expected a level of durability", d)
	case d == DurabilityOfStore:
		d = made
	case d == DurabilityNone && made != DurabilityNone:
		return d, fmt.Errorf("durability none could lose the whole store, which was made with durability %v: open it with power or process", made)
	}
	if d != DurabilityPower && bootid.Get() == "" {
		return d, fmt.Errorf("durability %v: this system does not tell its starts apart, so that tensors which it did not write could not be told: use power", d)
	}
	return d, nil
}
