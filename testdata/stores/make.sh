#!/bin/bash
# make.sh TSTORE NAME writes NAME.tar.gz beside itself: a store, a backup of it in a folder and in a tar, made by the program TSTORE,
# and the file "want", which says what they must show. What a version of tstore cannot do yet is left out. See README.md.
set -u -o pipefail
[ $# = 2 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
tstore=$(realpath "$1") to=$(cd "$(dirname "$0")" && pwd)/$2.tar.gz
[ -e "$to" ] && { echo "$to is there: stores are only added" >&2; exit 1; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" && mkdir in out && export TSTORE_DIR=$work/out/store

# t runs tstore, and fails quietly where the version lacks something.
t() { "$tstore" --quiet "$@" </dev/null >"$work/said" 2>&1; }
# want notes what a name must show: dtype, shape, elements in C order; "5*7" is 7 five times.
want() { printf '%s\n' "$*" >>out/want; }
# has says whether the version has a command.
has() { t "$1" --help && grep -q "tstore $1" "$work/said"; }
# npy writes a .npy file: FILE DESCR FORTRAN SHAPE BYTES.
npy() {
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }" >"in/$1.npy"
	printf "$5" >>"in/$1.npy"
}

t init || { cat "$work/said" >&2; exit 1; }

# Each dtype, in both orders, in files of their own.
for d in int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float8_e4m3fn float8_e5m2 float32 float64 complex64 complex128; do
	t create "c/$d" --dtype $d --shape 2,3 --arange && want "c/$d $d 2,3 0 1 2 3 4 5"
	t create "f/$d" --dtype $d --shape 2,3 --order F --arange && want "f/$d $d 2,3 0 1 2 3 4 5"
done
t create c/bool --dtype bool --shape 5 --fill true && t set 'c/bool[1]' false && want "c/bool bool 5 1 0 1 1 1"
t create scalar --dtype float64 --shape '' --fill 2.5 && want "scalar float64 - 2.5"
t create empty --dtype int16 --shape 0,3 && want "empty int16 0,3"

# Bytes from elsewhere: big and little endian, both orders; several in one import, which may share a file.
npy big '>f8' False '3,' '\x3f\xf8\0\0\0\0\0\0\xc0\x04\0\0\0\0\0\0\x40\x0c\0\0\0\0\0\0'
npy bigf '>i4' True '2, 2' '\0\0\0\1\0\0\0\3\0\0\0\2\0\0\1\0'
npy p0 '<i2' False '2,' '\1\0\2\0'
npy p1 '<u4' False '1, 3' '\7\0\0\0\x8\0\0\0\x9\0\0\0'
printf '\1\2\xff\xfe' >in/raw
t import in/big.npy --name in/big && want "in/big float64 3 1.5 -2.5 3.5"
t import in/bigf.npy --name in/bigf && want "in/bigf int32 2,2 1 2 3 256"
t import in/raw --raw --dtype int16 --shape 2 --big-endian --name in/raw && want "in/raw int16 2 258 -2"
t import in/p0.npy in/p1.npy && want "p0 int16 2 1 2" && want "p1 uint32 1,3 7 8 9"

# What is more than a tensor.
t create log --dtype int32 --shape 2,2 --fill 7 --dims time,axis --attr 'unit=m/s'
t append log --rows 1 --value 8 && want "log int32 3,2 4*7 2*8"
t view last 'log[-1]' && want "last int32 2 8 8"
t view turned 'c/int32.T' && want "turned int32 3,2 0 3 1 4 2 5"
t blob note/text '"läuft"' && want "note/text blob - läuft"
t blob note/many '{"rate": 0.5, "on": [true, null]}'
has define && t define lazy '`c/float64` * 2 + 1' && want "lazy float64 2,3 1 3 5 7 9 11"
has seal && t create sealed --dtype uint16 --shape 100000 --fill 513 && t seal sealed && want "sealed uint16 100000 100000*513"
t create gone --dtype int8 --shape 3 --fill 1 && t rm gone

# A snapshot, then other elements, other rows and another name.
if has snapshot; then
	t create kept --dtype float32 --shape 4 --fill 1
	t snapshot create monday
	t set 'kept[0]' 9 && want "kept float32 4 9 1 1 1" && want "kept@monday float32 4 1 1 1 1"
	t append log --rows 1 --value 9 && want "log int32 4,2 4*7 2*8 2*9" && want "log@monday int32 3,2 4*7 2*8"
	t rm scalar && sed -i '/^scalar /d' out/want && want "scalar@monday float64 - 2.5"
fi

if has backup; then
	t backup out/backup && t backup out/backup.tar || { cat "$work/said" >&2; exit 1; }
fi

# A small change whose writer dies between journal and file: it may write no file as long as that. Who opens it finishes it.
t create patched --dtype uint8 --shape 1000000 --fill 3
(ulimit -f 900; t set 'patched[999999]' 5) && { echo "the patch was not interrupted" >&2; exit 1; }
want "patched uint8 1000000 999999*3 5"

# A job whose process dies.
if has job; then
	t create x --dtype float32 --shape 400000 --fill 3 && want "x float32 400000 400000*3"
	for ms in $(seq 5 2 200); do
		"$tstore" --quiet eval 'y = x * 2 + 1' --resumable 2>/dev/null &
		sleep "0.$(printf %03d "$ms")"
		{ kill -9 $!; wait $!; } 2>/dev/null
		t job ls --json; [ -s "$work/said" ] && break
		t rm y
	done
	[ -s "$work/said" ] || { echo "no job was interrupted" >&2; exit 1; }
	want "y job 400000 400000*7"
fi
tar -C out --sort=name --owner=0 --group=0 -cSf - . | gzip -9n >"$to" && ls -l "$to"
