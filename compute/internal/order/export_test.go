package order

// ByDigits is Select without a look at a sample.
var ByDigits = byDigits
