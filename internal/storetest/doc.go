// Package storetest is what tests of a store share: stores and tensors to begin with, values that are
// wanted, work that is interrupted, and a look behind the API, at records, files and locks.
//
// Tests of packages behind the API begin with [Main]. Helpers fail the test that they are given.
package storetest
