package deid

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/io/dicom/part10"
)

// Pseudonyms makes the pseudonyms of UIDs and patients: a keyed hash (HMAC-SHA-256) of the
// original. The same secret gives the same pseudonyms, so that references between files,
// series and exports stay valid; without the secret the original cannot be found by
// trying.
type Pseudonyms struct{ Secret []byte }

func (p Pseudonyms) hash(kind string, value []byte) []byte {
	h := hmac.New(sha256.New, p.Secret)
	h.Write(append([]byte(kind+"\x00"), value...))
	return h.Sum(nil)
}

// UID returns the pseudonym of a UID, or of each of several. UIDs of the standard
// itself, which name classes and syntaxes, stay.
func (p Pseudonyms) UID(value []byte) []byte {
	values := bytes.Split(bytes.TrimRight(value, part10.ValuePadding), []byte{'\\'})
	for i, v := range values {
		if v = bytes.TrimSpace(v); len(v) > 0 && !bytes.HasPrefix(v, []byte("1.2.840.10008.")) {
			values[i] = []byte(part10.HashUID([]byte("pseudonym"), p.hash("uid", v)))
		}
	}
	return bytes.Join(values, []byte{'\\'})
}

// Patient returns the pseudonym of the patient of a source: of the patient ID and its
// issuer or, if there is none, of the study.
func (p Pseudonyms) Patient(s *part10.Dataset) []byte {
	id := slices.Concat(s.Text(part10.TagPatientID), []byte{0}, s.Text(part10.TagIssuerOfPatientID))
	if len(id) == 1 {
		id = s.Text(part10.TagStudyInstanceUID)
	}
	return fmt.Appendf(nil, "Q%X", p.hash("patient", id)[:8])
}

// Text returns the pseudonym of a text of a kind: 16 hexadecimal digits.
func (p Pseudonyms) Text(kind, text string) string {
	return fmt.Sprintf("%x", p.hash("text "+kind, []byte(text))[:8])
}

// Identity is what an image gets in place of its identity.
type Identity struct {
	patient  []byte            // pseudonym
	Warnings []message.Message // about what stays in the pixels
}

// Apply applies the profile to the elements of a source. It returns the data set that
// remains and what replaces the identity. The pixels stay as they are.
func Apply(s *part10.Dataset, p Pseudonyms) (data []byte, id *Identity, err error) {
	id = &Identity{patient: p.Patient(s), Warnings: identityWarnings(s)}
	c := cleaner{p, s.Bytes}
	data, err = c.clean(nil, s.File.Elements, s.Encoding, 0, false)
	return data, id, err
}

// cleaner applies the profile to data sets with their bytes in b.
type cleaner struct {
	Pseudonyms
	b []byte
}

// clean appends the elements that the profile leaves. hidden is set inside a sequence that
// becomes a dummy: texts that would stay are replaced by dummies there too.
func (c cleaner) clean(out []byte, elements []part10.Element, enc part10.Encoding, depth int, hidden bool) ([]byte, error) {
	var err error
	for _, e := range elements {
		vr := e.VR
		if vr == "" || vr == "UN" {
			vr = part10.DictionaryVR(e.Tag)
		}
		what := actionOf(e.Tag, e.VR)
		switch {
		case e.Tag.Element() == 0: // a group length, now wrong
		case what == remove:
		case what == empty:
			out = part10.AppendElement(out, enc, e.Tag, vr, nil)
		case vr == "SQ":
			out, err = c.sequence(out, e, enc, depth+1, hidden || what == dummy)
		case e.Length == part10.UndefinedLength, e.Tag == part10.TagPixelData && depth > 0: // bytes in an unknown form, another picture
		case what == dummy || what == replaceID || hidden && vr != "CS" && dummyValue(vr) != nil:
			var value []byte
			if len(bytes.TrimRight(c.b[e.Value:e.End], part10.ValuePadding)) > 0 {
				value = dummyValue(vr)
			}
			if vr == "UI" {
				value = c.UID(c.b[e.Value:e.End])
			}
			out = part10.AppendElement(out, enc, e.Tag, vr, value)
		case what == known || vr == "CS":
			out = part10.AppendElement(out, enc, e.Tag, vr, c.technique(e.Tag, c.b[e.Value:e.End]))
		case (vr == "IS" || vr == "DS") && !numbers.Match(c.b[e.Value:e.End]):
			out = part10.AppendElement(out, enc, e.Tag, vr, nil)
		default:
			out = append(out, c.b[e.Start:e.End]...)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sequence appends a sequence with its items cleaned. An item with nothing left is
// removed, unless its position has a meaning, as in functional groups.
func (c cleaner) sequence(out []byte, e part10.Element, enc part10.Encoding, depth int, hidden bool) ([]byte, error) {
	if depth > part10.MaxDepth {
		return nil, message.Errorf(message.InputDamaged, "sequences are nested deeper than %d", part10.MaxDepth)
	}
	var items []byte
	err := part10.EachItem(c.b, e, enc, func(item part10.SequenceItem) error {
		cleaned, err := c.clean(nil, slices.Clone(item.Elements), item.Enc, depth, hidden)
		if len(cleaned) > 0 || len(item.Elements) == 0 || e.Tag == part10.TagPerFrameFunctionalGroupsSequence {
			items = part10.AppendItem(items, item.Enc, cleaned)
		}
		return err
	})
	vr := "SQ"
	if e.VR == "UN" {
		vr = "UN" // its items are implicit little endian (CP-246)
	}
	return part10.AppendElement(out, enc, e.Tag, vr, items), err
}

// Edits returns the elements that state how the object was de-identified.
func (id *Identity) Edits(s *part10.Dataset) []part10.Edit {
	var edits []part10.Edit
	set := func(t part10.Tag, vr string, value []byte) {
		edits = append(edits, part10.Set(s.Encoding, t, vr, value))
	}
	set(part10.TagPatientName, "PN", id.patient)
	set(part10.TagPatientID, "LO", id.patient)
	set(part10.TagPatientIdentityRemoved, "CS", []byte("YES"))
	set(part10.TagDeidentificationMethod, "LO", []byte(`Quell\PS3.15 Basic Application Level Confidentiality Profile`))
	methods, _ := s.Items(part10.TagDeidentificationMethodCodeSequence) // of an earlier time; one of unknown VR is replaced
	if profile := part10.AppendItem(nil, s.Encoding, part10.CodeItem(s.Encoding, basicConfidentiality)); !bytes.Contains(methods, profile) {
		methods = append(methods, profile...)
	}
	set(part10.TagDeidentificationMethodCodeSequence, "SQ", methods)
	set(part10.TagLongitudinalTemporalInformationModified, "CS", []byte("REMOVED"))
	return edits
}

// headWords are parts of words for the head, in the languages that descriptions are often
// written in.
var headWords = []string{"HEAD", "BRAIN", "SKULL", "CRANI", "CEREB", "NEURO", " FACE", "FACIAL", "SINUS", "ORBIT", "JAW", "KOPF", "SCHAED", "SCHÄD", "HIRN", "TETE", "CABEZA", "TESTA"}

// identityWarnings returns warnings about identity that the profile leaves in the pixels.
func identityWarnings(s *part10.Dataset) []message.Message {
	var w []message.Message
	switch string(s.Text(part10.TagBurnedInAnnotation)) {
	case "NO":
	case "YES":
		w = append(w, message.New(message.OutputIdentity, "The source says that text is burned into its pixels; it is still there."))
	default:
		w = append(w, message.New(message.OutputIdentity, "The source does not say whether text is burned into its pixels; look at every image."))
	}
	part := s.Text(part10.TagBodyPartExamined)
	region, _ := s.Items(part10.TagAnatomicRegionSequence)
	words := strings.ToUpper(string(bytes.Join([][]byte{nil, part, region, s.Text(part10.TagStudyDescription),
		s.Text(part10.TagSeriesDescription), s.Text(part10.TagProtocolName)}, []byte{' '})))
	switch {
	case string(s.Text(part10.TagRecognizableVisualFeatures)) == "YES",
		slices.ContainsFunc(headWords, func(word string) bool { return strings.Contains(words, word) }):
		w = append(w, message.New(message.OutputIdentity, "The series shows a head: a surface made of its slices shows a face that can be recognised."))
	case len(part) == 0 && len(region) == 0:
		w = append(w, message.New(message.OutputIdentity, "The source does not say which part of the body it shows; if it is a head, a surface made of its slices shows a face that can be recognised."))
	}
	return w
}
