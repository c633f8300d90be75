// Package view describes tensors over storages.
package view
