// Package repository holds tests of what is no code: that the pages for contributors say what is so, and that the files
// for tools can be read. It needs no cluster and no tools, so it is the quickest to run:
//
//	go test ./tests/repository
package repository
