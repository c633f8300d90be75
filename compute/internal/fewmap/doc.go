// Package fewmap has a map for keys that are expensive to hash, of which there are mostly few.
package fewmap
