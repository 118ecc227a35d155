package deid

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"quell/io/dicom/part10"
)

// profileRow is one attribute of the profile: its tag, the action of the standard, and its name. The codes are from
// PS3.15 table E.1-1a: D a dummy value, Z an empty one (or a dummy), X removed, U a UID of our own instead. If the
// standard lets the attribute's type in the object decide, all are given, as in "X/Z/D"; actionOf takes the last,
// which suits every type.
type profileRow struct {
	Tag  part10.Tag
	Code string
	name string
}

// profileTable has a line for each attribute: tag, code and name, separated by tabs.
//
//go:embed profile.tsv
var profileTable string

// basicProfile returns the Basic Application Level Confidentiality Profile (PS3.15 table E.1-1 of edition 2026c), in
// order of tags: its column "Basic Prof.". Its patterns - curves (50xx), overlays (60xx) and private attributes - and
// attributes that it does not name are in actionOf. Editions only add rows: the rows of 2024b are among these.
var basicProfile = sync.OnceValue(func() (rows []profileRow) {
	for line := range strings.Lines(profileTable) {
		field := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		tag, err := strconv.ParseUint(field[0], 16, 32)
		if err != nil {
			panic(err) // a test reads the table
		}
		rows = append(rows, profileRow{part10.Tag(tag), field[1], field[2]})
	}
	return rows
})
