package term

import "strings"

// synonyms are functions under the names that other libraries have for them.
var synonyms = byWord(map[string]string{
	"append cat insert block": "concatenate",
	"avg":                     "mean",
	"bucketize":               "digitize",
	"ceiling":                 "ceil",
	"count":                   "count_nonzero",
	"cumulative_prod":         "cumprod",
	"cumulative_sum":          "cumsum",
	"div":                     "divide",
	"ediff1d":                 "diff",
	"empty":                   "zeros",
	"empty_like":              "zeros_like",
	"float_power":             "power",
	"in1d":                    "isin",
	"map vectorize select choose piecewise ifelse": "where",
	"masked_fill nan_to_num heaviside":             "where",
	"matvec vecmat multi_dot bmm":                  "matmul",
	"matrix_norm vector_norm":                      "norm",
	"msort sort_complex":                           "sort",
	"mul":                                          "multiply",
	"rand random_sample sample":                    "random",
	"randint random_integers":                      "integers",
	"randn standard_normal":                        "normal",
	"row_stack":                                    "vstack",
	"shuffle randperm":                             "permutation",
	"stdev stddev":                                 "std",
	"sub":                                          "subtract",
	"truncate":                                     "trunc",
	"unique_values":                                "unique",
	"variance":                                     "var",
})

// elsewhere says what to write instead of calling a function that other libraries have.
var elsewhere = byWord(map[string]string{
	"split array_split hsplit vsplit dsplit":    "it makes several arrays, which are slices: write a[:n] and a[n:]",
	"unstack":                                   "it makes several arrays: write a[0] and a[1]",
	"fft ifft fft2 ifft2 fftn ifftn rfft irfft": "transforms are not part of expressions; convolve and correlate use them by themselves",
	"eig eigvals":                               "eigenvalues of matrices that are not symmetric are not part of expressions; eigh and eigvalsh are for symmetric ones",

	"len size shape ndim":     "the shape of an array is not part of expressions; tstore info prints it",
	"permute_dims":            "write a.transpose(1, 0)",
	"matrix_transpose":        "write a.mT",
	"rollaxis":                "write a.moveaxis(2, 0)",
	"diag":                    "write a.diagonal()",
	"resize":                  "write a.reshape(shape), or tile(a, reps)",
	"ix_ meshgrid indices":    "shapes are matched by broadcasting: write a[:, newaxis]",
	"compress extract":        "write a[mask]",
	"delete":                  "write a[mask], or concatenate([a[:i], a[i + 1:]])",
	"put place copyto":        "write a statement, such as a[2:4] = x",
	"array_equal array_equiv": "write all(a == b)",
	"isneginf":                "write x == -inf",
	"isposinf":                "write x == inf",
	"isreal":                  "write imag(x) == 0",
	"iscomplex":               "write imag(x) != 0",
	"divmod":                  "it makes two arrays: write x // y and x % y",
	"modf":                    "it makes two arrays: write x - trunc(x) and trunc(x)",
	"logspace geomspace":      "write 10**linspace(start, stop, num)",
	"exp10":                   "write 10.0**x",
	"sinc":                    "write where(x == 0, 1.0, sin(pi*x)/(pi*x))",
	"rsqrt":                   "write 1/sqrt(x)",
	"softplus":                "write logaddexp(x, 0)",
	"silu swish":              "write x*sigmoid(x)",
	"logit":                   "write log(x/(1 - x))",
	"zscore":                  "write (a - mean(a))/std(a)",
	"lexsort":                 "argsort is stable: sort by the last key first",
	"apply_along_axis":        "functions take an axis: write sum(a, axis=0)",
	"apply_over_axes":         "functions take several axes: write sum(a, axis=(0, 1))",
	"histogram2d histogramdd": "histogram counts the elements of one array",
	"float int str":           "write a.astype(float32), with the name of an element type",
})

// byWord returns a map with an entry for each word of the keys.
func byWord(texts map[string]string) map[string]string {
	m := map[string]string{}
	for words, text := range texts {
		for word := range strings.FieldsSeq(words) {
			m[word] = text
		}
	}
	return m
}
