// Package snapshots keeps states of a store under names, compares them, and brings them back.
//
// Making and removing a snapshot is the engine's. Bringing one back is one transaction, which a
// plan precedes: restore_plan.go finds what differs, restore_move.go gives storages their files
// back, restore_copy.go copies elements that others go on using, and restore_seal.go has the seals.
package snapshots
