package recognise

// signature is bytes by which a format is known.
type signature struct {
	at     int
	magic  string
	format Format
	// also are bytes that must follow, where magic is not enough.
	alsoAt int
	also   string
	// isText is set where the first bytes are all text. Elsewhere text that begins with magic, such
	// as the name of a column, is text.
	isText bool
}

func (s signature) matches(b []byte) bool {
	return has(b, s.at, s.magic) && has(b, s.alsoAt, s.also)
}

func has(b []byte, at int, magic string) bool {
	return len(b) >= at+len(magic) && string(b[at:at+len(magic)]) == magic
}

var (
	netCDF  = Format{Name: "a NetCDF file", imports: "xarray", python: "xarray.open_dataset('FILE')['VARIABLE'].values"}
	hdf5    = Format{Name: "an HDF5 file (or NetCDF-4)", imports: "h5py", python: "h5py.File('FILE')['DATASET'][()]"}
	matlab7 = Format{Name: "a MATLAB 7.3 file", imports: "h5py", python: "h5py.File('FILE')['VARIABLE'][()].T"}
	matlab5 = Format{Name: "a MATLAB file", imports: "scipy.io", python: "scipy.io.loadmat('FILE')['VARIABLE']"}
	tiff    = Format{Name: "a TIFF image", imports: "tifffile", python: "tifffile.imread('FILE')"}
	parquet = Format{Name: "a Parquet file", imports: "pyarrow.parquet", python: "pyarrow.parquet.read_table('FILE')['COLUMN'].to_numpy()"}
	arrow   = Format{Name: "an Arrow or Feather file", imports: "pyarrow.feather", python: "pyarrow.feather.read_table('FILE')['COLUMN'].to_numpy()"}
	fits    = Format{Name: "a FITS file", imports: "astropy.io.fits", python: "astropy.io.fits.getdata('FILE')"}
	grib    = Format{Name: "a GRIB file", imports: "xarray", python: "xarray.open_dataset('FILE', engine='cfgrib')['VARIABLE'].values"}
	pickle  = Format{Name: "a Python pickle (loading one runs the code in it)", python: "numpy.load('FILE', allow_pickle=True)"}
	numpy   = Format{Name: "a .npy file", python: "numpy.load('FILE')"}
	npz     = Format{Name: "an .npz archive", python: "numpy.load('FILE')['NAME']"}
	pytorch = Format{Name: "a PyTorch file", imports: "torch", python: "torch.load('FILE', weights_only=True)['NAME'].numpy()"}
	tensors = Format{Name: "a safetensors file", imports: "safetensors.numpy", python: "safetensors.numpy.load_file('FILE')['NAME']"}
	gguf    = Format{Name: "a GGUF file", imports: "gguf", python: "next(t.data for t in gguf.GGUFReader('FILE').tensors if t.name == 'NAME')"}
	zarr    = Format{Name: "a Zarr array", imports: "zarr", python: "zarr.open('FILE', mode='r')[:]"}
	zarrs   = Format{Name: "a Zarr group", imports: "zarr", python: "zarr.open('FILE', mode='r')['ARRAY'][:]"}
	dicom   = Format{Name: "a DICOM image", imports: "pydicom", python: "pydicom.dcmread('FILE').pixel_array"}
	nifti   = Format{Name: "a NIfTI image", imports: "nibabel", python: "numpy.asanyarray(nibabel.load('FILE').dataobj)"}
	wave    = Format{Name: "a WAVE sound", imports: "scipy.io.wavfile", python: "scipy.io.wavfile.read('FILE')[1]"}
	json    = Format{Name: "JSON", imports: "json", python: "numpy.array(json.load(open('FILE')))", isText: true}
	sqlite  = Format{Name: "an SQLite database", imports: "sqlite3",
		python: "numpy.array(sqlite3.connect('FILE').execute('SELECT COLUMN FROM TABLE').fetchall())"}
)

// image is one of the formats that Pillow reads.
func image(name string) Format {
	return Format{Name: name + " image", imports: "PIL.Image", python: "numpy.asarray(PIL.Image.open('FILE'))"}
}

// packed is what a program unpacks.
func packed(name, shell string) Format { return Format{Name: name, shell: shell} }

// signatures are looked at in order.
var signatures = []signature{
	{magic: "\x93NUMPY", format: numpy},
	{magic: "CDF\x01", format: netCDF},
	{magic: "CDF\x02", format: netCDF},
	{magic: "CDF\x05", format: netCDF},
	{magic: "\x89HDF\r\n\x1a\n", format: hdf5},
	{magic: "MATLAB 7.3 MAT-file", format: matlab7, isText: true},
	{magic: "MATLAB 5.0 MAT-file", format: matlab5, isText: true},
	{magic: "II*\x00", format: tiff},
	{magic: "MM\x00*", format: tiff},
	{magic: "II+\x00", format: tiff},
	{magic: "MM\x00+", format: tiff},
	{magic: "PAR1", format: parquet},
	{magic: "ARROW1\x00\x00", format: arrow},
	{magic: "FEA1", format: arrow},
	{magic: "SIMPLE  =", format: fits, isText: true},
	{magic: "GRIB", format: grib},
	{magic: "GGUF", format: gguf},
	{magic: "SQLite format 3\x00", format: sqlite},
	{magic: "\x80\x02", format: pickle},
	{magic: "\x80\x03", format: pickle},
	{magic: "\x80\x04", format: pickle},
	{magic: "\x80\x05", format: pickle},
	{at: 128, magic: "DICM", format: dicom},
	{at: 344, magic: "n+1\x00", format: nifti},
	{magic: "RIFF", alsoAt: 8, also: "WAVE", format: wave},
	{magic: "\x89PNG\r\n\x1a\n", format: image("a PNG")},
	{magic: "\xff\xd8\xff", format: image("a JPEG")},
	{magic: "GIF87a", format: image("a GIF")},
	{magic: "GIF89a", format: image("a GIF")},
	{magic: "BM", alsoAt: 6, also: "\x00\x00\x00\x00", format: image("a BMP")},
	{magic: "RIFF", alsoAt: 8, also: "WEBP", format: image("a WebP")},
	{magic: "\x00\x00\x00\x0cjP  \r\n\x87\n", format: image("a JPEG 2000")},
	{magic: "\x1f\x8b", format: packed("a file compressed with gzip", "gzip -dk FILE")},
	{magic: "\x28\xb5\x2f\xfd", format: packed("a file compressed with zstd", "zstd -dk FILE")},
	{magic: "\xfd7zXZ\x00", format: packed("a file compressed with xz", "xz -dk FILE")},
	{magic: "BZh", alsoAt: 4, also: "1AY&SY", format: packed("a file compressed with bzip2", "bzip2 -dk FILE")},
	{magic: "\x04\x22\x4d\x18", format: packed("a file compressed with lz4", "lz4 -dk FILE")},
	{magic: "7z\xbc\xaf\x27\x1c", format: packed("a 7z archive", "7z x FILE")},
	{at: 257, magic: "ustar", format: packed("a tar archive", "tar -xf FILE")},
}

// folders are the files, and what they contain, by which a folder is known.
var folders = []struct {
	file, has string
	format    Format
}{
	{".zarray", "", zarr},
	{".zgroup", "", zarrs},
	{"zarr.json", `"chunk_grid"`, zarr},
	{"zarr.json", "", zarrs},
}
