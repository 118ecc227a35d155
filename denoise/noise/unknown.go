package noise

import "quell/internal/message"

// mostRough is the ratio of the ends of an interval above which it gives no ground to judge a result by.
const mostRough = 2

// Unknown says that the noise is known too roughly to judge by, for which reason, and what it is at most; most is 0
// if nothing is known of it. All that judges by the noise asks for it, and says Sentence. Automatic values follow
// [Figure.Acting] nevertheless.
func (f Figure) Unknown() (most float64, why message.Message, ok bool) {
	switch {
	case f.Confidence == None:
		return 0, f.Why, true
	case f.High > mostRough*f.Low && f.Sigma > 0:
		return f.High, f.Why, true
	}
	return 0, message.Message{}, false
}

// Sentence says of noise that is unknown what it is at most, why, and what a person can do; it is empty if the
// noise is known.
func (f Figure) Sentence() message.Message {
	most, why, unknown := f.Unknown()
	switch {
	case !unknown:
		return message.Message{}
	case most > 0:
		return message.New(message.NoiseUnknown, "Noise known roughly, between %.3g and %.3g: %s. What helps: a mask of homogeneous tissue, the strength as a number, an ROI or two repeat acquisitions.", f.Low, most, why)
	}
	return message.New(message.NoiseUnknown, "Noise unknown: %s. What helps: a mask of homogeneous tissue, the strength as a number, an ROI or two repeat acquisitions.", why)
}
