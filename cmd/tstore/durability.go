package main

import "github.com/tstore/tstore"

// durabilityFlag is a level of durability as a flag.
type durabilityFlag tstore.Durability

// String is empty for the level of the store.
func (f *durabilityFlag) String() string {
	if tstore.Durability(*f) == tstore.DurabilityOfStore {
		return ""
	}
	return tstore.Durability(*f).String()
}

// Set reads a level.
func (f *durabilityFlag) Set(text string) error {
	d, err := tstore.ParseDurability(text)
	*f = durabilityFlag(d)
	return err
}

// Type is what help shows for the value.
func (f *durabilityFlag) Type() string { return "LEVEL" }
