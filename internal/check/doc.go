// Package check looks after a store: it finds damage, names the elements that lie in it, repairs
// what needs no guess, and makes a catalog anew from the data files.
//
// [Store.Check] reads the catalog and the headers of all files, [Store.Verify] also the elements of
// sealed storages. Both find a [Problem] or a [Damage] each; [Store.Repair] mends what Check finds.
// [Salvage] works on a folder whose catalog is lost.
package check
