// Package store has the tensors of a store by their names: it selects, opens, makes, changes and
// restores them, alone and in transactions.
//
// It stands on package engine, which makes files and commits durable in the right order, and adds
// what names, selectors and views mean. The API at the root of the module has a type of its own for
// each that users see; the types of this package have the same fields. An [Info] is what the
// catalog says of a selected part, and most methods begin with one.
//
// A [Store] is the store itself or, as [Tx.Store] returns it, the store as part of a transaction:
// then what changes goes to [Store.Within]. Packages above embed a Store and add methods to it.
// What they lend to this package is [Expressions].
package store
