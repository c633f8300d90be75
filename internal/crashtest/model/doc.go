// Package model compares a store with a model, over all that can be done to a store.
//
// Its tests make random histories: lists of steps such as "append a", "restore s1 a", "back up",
// inside and outside of transactions. Each step is done to a store and to a model, which knows
// names, elements, and which tensors share them. After each step all of the store must be what the
// model says: names, elements, attributes, snapshots, tensors that are open, staleness, versions;
// and so must backups, stores that are restored of them, and what Salvage finds of a copy that has
// lost its catalog.
//
// A history of one process is the same each time for one seed. One that fails is made shorter as
// long as it fails, and printed. Histories of several processes are logged with the number of each
// commit, which gives the order in which the model repeats them.
//
// There is nothing in it but tests.
package model
