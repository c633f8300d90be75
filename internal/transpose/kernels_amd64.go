//go:build amd64 && !noasm

package transpose

import "golang.org/x/sys/cpu"

// kernels holds the machine code for each element size (1, 2, 4, 8, 16), larger tiles first.
var kernels = kernelsFor(cpu.X86.HasAVX2, cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW)

var (
	avx512 = [5]kernel{
		{64, bytesAVX512, bytesAVX512Stream},
		{32, wordsAVX512, wordsAVX512Stream},
		{16, tiles4AVX512, tiles4AVX512Stream},
		{8, tiles8AVX512, tiles8AVX512Stream},
		{4, tiles16AVX512, tiles16AVX512Stream},
	}
	avx2 = [5]kernel{
		{32, bytesAVX2, nil}, // a row of a tile is half a line, too many of which would be under way
		{16, wordsAVX2, nil},
		{8, tiles4AVX2, tiles4AVX2Stream},
		{4, tiles8AVX2, tiles8AVX2Stream},
		{2, tiles16AVX2, tiles16AVX2Stream},
	}
	avx = [4]kernel{{16, bytesAVX, nil}, {8, wordsAVX, nil}, {4, tiles4AVX, nil}, {2, tiles8AVX, nil}}
)

// kernelsFor returns the kernels of a CPU that has some instruction sets.
func kernelsFor(hasAVX2, hasAVX512 bool) (all [5][]kernel) {
	if !hasAVX2 {
		return all
	}
	for i := range all {
		if hasAVX512 {
			all[i] = append(all[i], avx512[i])
		}
		all[i] = append(all[i], avx2[i])
		if i < len(avx) {
			all[i] = append(all[i], avx[i])
		}
	}
	return all
}

// The tiles of narrow elements take more registers than there are; these functions give them memory
// beside.

func bytesAVX512(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int) {
	var scratch [5120]byte
	tiles1AVX512(dst, src, dstStride, srcStride, rowTiles, colTiles, &scratch[0])
}

func bytesAVX512Stream(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int) {
	var scratch [5120]byte
	tiles1AVX512Stream(dst, src, dstStride, srcStride, rowTiles, colTiles, &scratch[0])
}

func wordsAVX512Stream(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int) {
	var scratch [1024]byte
	tiles2AVX512Stream(dst, src, dstStride, srcStride, rowTiles, colTiles, &scratch[0])
}

func wordsAVX512(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int) {
	var scratch [1024]byte
	tiles2AVX512(dst, src, dstStride, srcStride, rowTiles, colTiles, &scratch[0])
}

func bytesAVX2(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int) {
	var scratch [1280]byte
	tiles1AVX2(dst, src, dstStride, srcStride, rowTiles, colTiles, &scratch[0])
}

func wordsAVX2(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int) {
	var scratch [256]byte
	tiles2AVX2(dst, src, dstStride, srcStride, rowTiles, colTiles, &scratch[0])
}

func bytesAVX(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int) {
	var scratch [320]byte
	tiles1AVX(dst, src, dstStride, srcStride, rowTiles, colTiles, &scratch[0])
}

func wordsAVX(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int) {
	var scratch [64]byte
	tiles2AVX(dst, src, dstStride, srcStride, rowTiles, colTiles, &scratch[0])
}
