package dimse

import "fmt"

// Status is the status of an answer (PS3.7 annex C, PS3.4 section B.2.3).
type Status uint16

// Stored reports whether the node keeps the instance: success, or a warning such as elements
// that it changed or left out.
func (s Status) Stored() bool {
	return s == 0 || s == 0x0001 || s == 0x0107 || s == 0x0116 || s>>12 == 0xB
}

// String says what the status means, with its code.
func (s Status) String() string {
	text := "failed"
	switch {
	case s == 0:
		return "stored"
	case s == 0xB000:
		text = "stored, with elements changed"
	case s == 0xB006:
		text = "stored, without some elements"
	case s == 0xB007:
		text = "stored, though it does not fit its SOP class"
	case s.Stored():
		text = "stored, with a warning"
	case s>>8 == 0xA7:
		text = "out of resources; try again later"
	case s>>8 == 0xA9:
		text = "the object does not fit its SOP class"
	case s>>12 == 0xC:
		text = "the object cannot be understood"
	case s == 0x0122:
		text = "the SOP class is not supported"
	case s == 0x0124:
		text = "not authorized"
	case s == 0x0110:
		text = "processing failed"
	case s == 0x0111:
		text = "an instance with this UID is there already"
	case s == 0x0117:
		text = "the instance UID is invalid"
	case s == 0x0210, s == 0x0211, s == 0x0212:
		text = "the request was not understood"
	case s == 0xFE00:
		text = "cancelled by the node"
	}
	return fmt.Sprintf("%s (status %04X)", text, uint16(s))
}
