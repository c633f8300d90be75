// Package catalog is the table of contents of a store: names → records → storages.
package catalog
