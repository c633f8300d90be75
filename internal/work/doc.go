// Package work computes with the names of a store: it evaluates statements and expressions, reads
// lazy names, imports and copies, and does long work as jobs that can be resumed.
//
// An evaluation looks the names of its statements up, has package compute plan and run them, and
// publishes what they make in one transaction. It begins again when others have changed what it
// read; eval_state.go tells when. A job notes in the catalog how far it is; job_run.go has the
// steps.
package work
