// Package check says where damage lies: which elements of a tensor bytes of its storage are.
package check
