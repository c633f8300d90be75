package fewmap

// few is the number of entries up to which keys are compared one by one.
const few = 12

// A Map is a map that hashes keys only when it has more than a few. The zero Map is empty and ready
// for use. It belongs to one goroutine at a time.
type Map[K comparable, V any] struct {
	keys   []K
	values []V
	known  map[K]int // of all keys, or none
}

// Get returns the value of a key, or the zero value.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	if i := m.find(&key); i >= 0 {
		return m.values[i], true
	}
	return value, false
}

// find returns where a key is, or -1.
func (m *Map[K, V]) find(key *K) int {
	if len(m.keys) > few {
		if i, ok := m.known[*key]; ok {
			return i
		}
		return -1
	}
	for i := range m.keys {
		if m.keys[i] == *key {
			return i
		}
	}
	return -1
}

// Add gives a key that the map does not have a value.
func (m *Map[K, V]) Add(key K, value V) {
	m.keys, m.values = append(m.keys, key), append(m.values, value)
	if len(m.keys) <= few {
		return
	}
	if m.known == nil {
		m.known = map[K]int{}
	}
	for i := len(m.known); i < len(m.keys); i++ {
		m.known[m.keys[i]] = i
	}
}

// Clear removes all entries and keeps the memory.
func (m *Map[K, V]) Clear() {
	clear(m.keys)
	clear(m.values)
	clear(m.known)
	m.keys, m.values = m.keys[:0], m.values[:0]
}
