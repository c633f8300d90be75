package ptxvm

import "math/bits"

// addresses checks the register of an address.
func (w *warp) addresses(a address, mask uint32) (*lanes, error) {
	if missing := mask &^ w.written[a.base]; missing != 0 {
		return nil, w.fail(missing, "%s was never written", w.entry.names[a.base])
	}
	return &w.registers[a.base], nil
}

// load reads memory into registers.
func (w *warp) load(in *instr, mask uint32) error {
	bases, err := w.addresses(in.at, mask)
	if err != nil {
		return err
	}
	at := *bases // which a result may replace

	elem := in.op.kind.bytes()
	n := elem * in.op.elems
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		address := at[lane] + in.at.offset
		if address%uint64(n) != 0 {
			return w.fail(rest, "address %#x is not a multiple of %d", address, n)
		}
		data, first, reason := w.read(in.op.space, address, n, lane)
		if reason != "" {
			return w.fail(rest, "%s", reason)
		}
		for k, r := range in.dst {
			v := load(data, first+k*elem, elem)
			w.registers[r][lane] = extend(v, in.op.kind) & w.entry.registers[r].mask()
		}
	}

	for _, r := range in.dst {
		w.written[r] |= mask
	}
	return nil
}

// store writes registers to memory.
func (w *warp) store(in *instr, mask uint32) error {
	at, err := w.addresses(in.at, mask)
	if err != nil {
		return err
	}

	elem := in.op.kind.bytes()
	n := elem * in.op.elems
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		address := at[lane] + in.at.offset
		if address%uint64(n) != 0 {
			return w.fail(rest, "address %#x is not a multiple of %d", address, n)
		}
		data, first, reason := w.write(in.op.space, address, n, lane)
		if reason != "" {
			return w.fail(rest, "%s", reason)
		}
		for k, r := range in.args {
			store(data, first+k*elem, elem, w.registers[r][lane])
		}
	}
	return nil
}

// read returns memory that a thread may read. reason is why it may not.
func (w *warp) read(space string, address uint64, n, lane int) (data []byte, at int, reason string) {
	switch space {
	case ".const":
		data = w.module.consts.data
		if address < constBase || address-constBase+uint64(n) > uint64(len(data)) {
			return nil, 0, "the address is outside of const memory"
		}
		return data, int(address - constBase), ""
	case ".shared":
		s, at, reason := w.findShared(address, n)
		if reason == "" {
			reason = s.read(at, n, w.first+lane, w.epoch)
		}
		return s.data, at, reason
	}

	m, at, reason := w.module.device.find(address, n)
	if reason == "" && !m.written.has(at, n) {
		reason = "the memory was never written"
	}
	if reason != "" {
		return nil, 0, reason
	}
	return m.data, at, ""
}

// write returns memory that a thread may write, and notes that it does.
func (w *warp) write(space string, address uint64, n, lane int) (data []byte, at int, reason string) {
	if space == ".shared" {
		s, at, reason := w.findShared(address, n)
		if reason == "" {
			reason = s.write(at, n, w.first+lane, w.epoch)
		}
		return s.data, at, reason
	}

	m, at, reason := w.module.device.find(address, n)
	if reason != "" {
		return nil, 0, reason
	}
	m.written.set(at, n)
	return m.data, at, ""
}
