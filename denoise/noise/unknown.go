package noise

import "quell/internal/message"

// Unknown says that the noise cannot be known, for which reason, and what it is at most; most is 0 if
// nothing is known of it. All that shows or uses the noise asks for it, and says Sentence.
func (f Figure) Unknown() (most float64, why message.Message, ok bool) {
	switch {
	case f.Confidence == None:
		return 0, f.Why, true
	case f.AtMost > 0:
		return f.AtMost, f.Why, true
	}
	return 0, message.Message{}, false
}

// Sentence says of unknown noise what it is at most, why, and what a person can do; it is empty if the
// noise is known.
func (f Figure) Sentence() message.Message {
	most, why, unknown := f.Unknown()
	switch {
	case !unknown:
		return message.Message{}
	case most > 0:
		return message.New(message.NoiseUnknown, "Noise unknown, at most %.3g: %s. What helps: a mask of an even part, the strength as a number, an ROI or two repeats.", most, why)
	}
	return message.New(message.NoiseUnknown, "Noise unknown: %s. What helps: a mask of an even part, the strength as a number, an ROI or two repeats.", why)
}
