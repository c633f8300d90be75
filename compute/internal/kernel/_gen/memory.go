package main

import "github.com/mmcloughlin/avo/operand"

// loadVector loads a number of bytes that is a power of two.
func (k *asm) loadVector(m operand.Mem, sizeBytes int, d value) {
	switch sizeBytes {
	case 2:
		k.VPXOR(d, d, d)
		k.VPINSRW(operand.Imm(0), m, d, d)
	case 4:
		k.VMOVD(m, d)
	case 8:
		k.VMOVQ(m, d)
	default:
		k.VMOVUPS(m, d)
	}
}

// storeVector stores a number of bytes that is a power of two.
func (k *asm) storeVector(m operand.Mem, sizeBytes int, r value) {
	switch sizeBytes {
	case 2:
		k.VPEXTRW(operand.Imm(0), r, m)
	case 4:
		k.VMOVD(r, m)
	case 8:
		k.VMOVQ(r, m)
	default:
		k.VMOVUPS(r, m)
	}
}

// storeNT stores a whole vector past the caches.
func (k *asm) storeNT(m operand.Mem, sizeBytes int, r value) {
	if sizeBytes < 16 {
		panic("no non-temporal stores of less than 16 bytes")
	}
	k.VMOVNTPS(r, m)
}

// loadMasked loads the elements whose bit is set in mask, and zeros for the others, whose memory is
// not touched.
func (k *asm) loadMasked(m operand.Mem, size int, mask, d value) {
	switch size {
	case 1:
		k.VMOVDQU8_Z(m, mask, d)
	case 2:
		k.VMOVDQU16_Z(m, mask, d)
	case 4:
		k.VMOVUPS_Z(m, mask, d)
	case 8:
		k.VMOVUPD_Z(m, mask, d)
	}
}

// storeMasked stores the elements whose bit is set in mask.
func (k *asm) storeMasked(r value, size int, mask value, m operand.Mem) {
	switch size {
	case 1:
		k.VMOVDQU8(r, mask, m)
	case 2:
		k.VMOVDQU16(r, mask, m)
	case 4:
		k.VMOVUPS(r, mask, m)
	case 8:
		k.VMOVUPD(r, mask, m)
	}
}
