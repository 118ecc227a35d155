// Package deid applies the Basic Application Level Confidentiality Profile (PS3.15 annex E)
// to the elements of one data set.
//
//	profile_table.go  the standard's table, profile.tsv
//	profile.go        the actions, and the rules for attributes that the table does not name
//	deidentify.go     Apply, pseudonyms, and what an object states of its de-identification
//
// It changes attributes alone: text or faces in the pixels are reported, not removed.
package deid
