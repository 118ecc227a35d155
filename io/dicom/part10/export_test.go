package part10

import lib "github.com/suyashkumar/dicom"

// Internals that are tested by themselves.
const (
	MaxElements       = maxElements
	MaxCachedElements = maxCachedElements
	MaxInflated       = maxInflated
)

var (
	DecodeText   = decodeText
	InflatedSize = inflatedSize
	ExplicitVR   = explicitVR
)

func (c *ElementCache) Take(enc Encoding, raw [][]byte, set map[Tag]*lib.Element) [][]byte {
	return c.take(enc, raw, set)
}

func (c *ElementCache) Len(enc Encoding) int { return len(c.parsed[enc]) }
