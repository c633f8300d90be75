package recognise_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore/interchange/recognise"
)

func Example() {
	f := recognise.Head([]byte("1.5,2.5\n3.5,4.5\n"))
	fmt.Println(f.Name)
	fmt.Println(f.Advice("g.csv"))
	// Output:
	// text, such as CSV
	// python3 -c "import numpy; numpy.save('x.npy', numpy.loadtxt('g.csv', delimiter=','))"
}

// heads are the beginnings of files that real programs wrote.
var heads = []struct {
	head string
	name string // "" where no format is recognised
	line string // part of the advice
}{
	{"CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x01", "NetCDF", "xarray.open_dataset('f')"},
	{"CDF\x02\x00\x00\x00\x00\x00\x00\x00\x0a", "NetCDF", ""},
	{"CDF\x05\x00\x00\x00\x00\x00\x00\x00\x00", "NetCDF", ""},
	{"\x89HDF\r\n\x1a\n\x00\x00\x00\x00\x00\x08\x08\x00", "HDF5", "h5py.File('f')"},
	{"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Jan  1 00:00:00 2024 HDF5 schema 1.00 .", "MATLAB 7.3", "h5py"},
	{"MATLAB 5.0 MAT-file Platform: posix, Created on: Mon Jan  1 00:00:00 2024", "MATLAB file", "scipy.io.loadmat"},
	{"II*\x00\x08\x00\x00\x00\x0b\x00", "TIFF", "tifffile.imread"},
	{"MM\x00*\x00\x00\x00\x08", "TIFF", ""},
	{"II+\x00\x08\x00\x00\x00\x10\x00", "TIFF", ""},
	{"PAR1\x15\x04\x15\x80\x7d", "Parquet", "pyarrow.parquet.read_table"},
	{"ARROW1\x00\x00\xff\xff\xff\xff\x78\x00\x00\x00", "Arrow", "pyarrow.feather.read_table"},
	{"FEA1\x00\x00\x00\x00", "Feather", ""},
	{"SIMPLE  =                    T / conforms to FITS standard", "FITS", "getdata"},
	{"GRIB\x00\x00\x00\x02\x00\x00\x00\x00", "GRIB", "cfgrib"},
	{"GGUF\x03\x00\x00\x00\x23\x01\x00\x00", "GGUF", "GGUFReader"},
	{"SQLite format 3\x00\x10\x00\x01\x01", "SQLite", "sqlite3.connect"},
	{"\x80\x04\x95\x8e\x00\x00\x00\x00\x00\x00\x00\x8c\x15numpy.core.multiarray", "pickle", "allow_pickle=True"},
	{"\x80\x02ctorch._utils\n", "pickle", ""},
	{"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "PNG image", "PIL.Image.open"},
	{"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "JPEG image", ""},
	{"GIF89a\x0a\x00\x0a\x00", "GIF image", ""},
	{"BM\x36\x03\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00", "BMP image", ""},
	{"RIFF\x24\x00\x00\x00WEBPVP8 ", "WebP image", ""},
	{"RIFF\x24\x00\x00\x00WAVEfmt ", "WAVE", "wavfile.read"},
	{"\x1f\x8b\x08\x08\xd2\x02\x96I\x00\x03x.npy\x00", "gzip", "gzip -dk f"},
	{"\x28\xb5\x2f\xfd\x24\x05\x29\x00\x00", "zstd", "zstd -dk f"},
	{"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F", "xz", "xz -dk f"},
	{"BZh91AY&SY\x5a\x55\xc4\x1e", "bzip2", "bzip2 -dk f"},
	{"\x04\x22\x4d\x18\x64\x40\xa7", "lz4", "lz4 -dk f"},
	{"PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00!\x00\xc3\xd1\x00\x00\x88\x00\x00\x00\x88\x00\x00\x00\x05\x00\x14\x00a.npy\x01\x00", ".npz", "numpy.load('f')['NAME']"},
	{"PK\x03\x04\x00\x00\x08\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x12\x00archive/data.pklFB", "PyTorch", "torch.load('f', weights_only=True)"},
	{"PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00!\x00\xc3\xd1\x00\x00\x88\x00\x00\x00\x88\x00\x00\x00\x05\x00\x00\x00a.txt", "zip archive", "unzip f"},
	{"\x40\x00\x00\x00\x00\x00\x00\x00{\"x\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}", "safetensors", "load_file('f')"},
	{strings.Repeat(" ", 128) + "DICM\x02\x00\x00\x00UL\x04\x00", "DICOM", "dcmread"},
	{"\x5c\x01\x00\x00" + strings.Repeat("\x00", 340) + "n+1\x00", "NIfTI", "nibabel.load"},
	{strings.Repeat("\x00", 257) + "ustar\x0000", "tar", "tar -xf f"},
	{"1.5,2.5\n", "text", "numpy.loadtxt('f', delimiter=',')"},
	{"\xef\xbb\xbftime;temp\n1;2\n", "text", "numpy.loadtxt('f', delimiter=';', skiprows=1, encoding='utf-8-sig')"},
	{"# made by hand\n\n1,2\n", "text", "numpy.loadtxt('f', delimiter=',')"},
	{"# made by hand\na,b\n1,2\n", "text", "numpy.loadtxt('f', delimiter=',', skiprows=2)"},
	{"PAR1,PAR2\n1,2\n", "text", "numpy.loadtxt('f', delimiter=',', skiprows=1)"},
	{"GRIB\n1\n", "text", "skiprows=1"},
	{"1\t2\n", "text", `delimiter='\t')`},
	{"1 2 nan -inf\n", "text", "numpy.loadtxt('f'))"},
	{"i,j\n1,2\n", "text", "skiprows=1"},
	{"\"i\",\"j\"\n1,2\n", "text", "skiprows=1"},
	{"1.5,,2\n1,2,3\n", "text", "numpy.genfromtxt('f', delimiter=',')"},
	{"1,2,\n3,4,\n", "text", "numpy.genfromtxt('f', delimiter=',')"},
	{"a;b\n1,5;\n", "text", "numpy.genfromtxt((line.replace(',', '.') for line in open('f')), delimiter=';', skip_header=1)"},
	{"1,5;2,5\n3,5;4\n", "text", "numpy.loadtxt((line.replace(',', '.') for line in open('f')), delimiter=';')"},
	{"time;temp\n1;2,5\n", "text", "numpy.loadtxt((line.replace(',', '.') for line in open('f')), delimiter=';', skiprows=1)"},
	{"\xef\xbb\xbf1,5;2\n", "text", "open('f', encoding='utf-8-sig')), delimiter=';')"},
	{"1,5\t2,5\n", "text", `open('f')), delimiter='\t')`},
	{"1,5 -2,5\n", "text", "open('f')))"},
	{"1;2\n", "text", "numpy.loadtxt('f', delimiter=';')"},
	{"1, 2\n", "text", "numpy.loadtxt('f', delimiter=',')"},
	{"1+2j,3e400\n", "text", "delimiter=',')"},
	{"2024-01-01,1.5\n", "text", "delimiter=',')"},
	{"[[1, 2], [3, 4]]", "JSON", "json.load"},
	{"température\n" + strings.Repeat("é", 250), "text", ""},
	{"", "", ""},
	{"PK", "text", ""},
	{"PK\x03\x04", "", ""},
	{"\x00\x00\x80\x3f\x00\x00\x00\x40", "", ""},
	{"\x93NUMPY\x01\x00v\x00", "a .npy file", "numpy.load('f')"},
}

func TestHead(t *testing.T) {
	for _, tt := range heads {
		f := recognise.Head([]byte(tt.head))
		if f.IsZero() != (tt.name == "") || !strings.Contains(f.Name, tt.name) {
			t.Errorf("%.20q: recognised as %q, want %q", tt.head, f.Name, tt.name)
		}
		if line := f.Advice("f"); tt.name != "" && !strings.Contains(line, tt.line) {
			t.Errorf("%.20q: advice %s, want %s", tt.head, line, tt.line)
		}
	}
}

func TestAdvice(t *testing.T) {
	f := recognise.Head([]byte("\x89HDF\r\n\x1a\n"))
	for path, want := range map[string]string{
		"/data/a-b.h5": "'/data/a-b.h5'", "": "'FILE'", "it's.h5": "'FILE'", "-x": "'FILE'", "a b": "'FILE'", "$(x)": "'FILE'",
	} {
		if line := f.Advice(path); !strings.Contains(line, want) {
			t.Errorf("%q: %s, want %s in it", path, line, want)
		}
	}
}

func TestFolder(t *testing.T) {
	for _, tt := range []struct{ file, content, want string }{
		{".zarray", "{}", "a Zarr array"},
		{".zgroup", "{}", "a Zarr group"},
		{"zarr.json", `{"node_type": "array", "chunk_grid": {}}`, "a Zarr array"},
		{"zarr.json", `{"node_type": "group"}`, "a Zarr group"},
		{"x.txt", "", ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.content), 0o644); err != nil {
			t.Fatal(err)
		}
		if f := recognise.Folder(dir); f.Name != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.file, tt.content, f.Name, tt.want)
		}
	}
}

func FuzzHead(f *testing.F) {
	for _, tt := range heads {
		f.Add([]byte(tt.head))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := recognise.Head(b); !got.IsZero() && got.Advice("f") == "" {
			t.Errorf("%q without advice", got.Name)
		}
	})
}
