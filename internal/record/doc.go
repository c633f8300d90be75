// Package record reads and makes the catalog's records of tensors in the terms of package view.
//
// Package catalog keeps shapes, strides and offsets as numbers and does not look at them. [Layout]
// checks them and makes a view.Layout of them, [New] and [SetLayout] go the other way. [Version]
// and [Bytes] combine a record with the storage that it lies in.
package record
