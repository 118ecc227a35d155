package part10

// Internals that are tested by themselves.
const (
	MaxElements = maxElements
	MaxInflated = maxInflated
)

var (
	DecodeElement = decodeElement
	InflatedSize  = inflatedSize
	ExplicitVR    = explicitVR
)
