// Package assemble forms volumes from the slices of many files, from their headers
// alone.
//
//	series.go           slices -> series; copies and orphans
//	planes.go           a series -> groups of one size, spacing and orientation
//	split.go            a group -> candidates that hold every position once
//	stations.go         volumes that differ in position: stations, stacks, interleaved grids
//	entry.go            a candidate -> an Entry with its findings
//	geometry.go         the grid of an entry, and how far slices lie off it
//	groups.go           entries of one series on one grid -> 4-D series
//	related_volumes.go  what the volumes of one series are to each other
//
// A new rule that splits a series by an attribute is a line in instance.Distinctions; one
// that splits by position belongs in stations.go. Slices are ordered along their normal,
// never by file name or instance number. What cannot be in a volume is in a finding.
package assemble
