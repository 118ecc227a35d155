package dicom

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
)

// basicConfidentiality is the profile that a de-identified object names (CID 7050).
var basicConfidentiality = Code{"113100", "DCM", "Basic Application Confidentiality Profile"}

const (
	tagReferencedStudySequence                 tagID = 0x00081110
	tagIssuerOfPatientID                       tagID = 0x00100021
	tagPatientIdentityRemoved                  tagID = 0x00120062
	tagDeidentificationMethod                  tagID = 0x00120063
	tagDeidentificationMethodCodeSequence      tagID = 0x00120064
	tagProtocolName                            tagID = 0x00181030
	tagAnatomicRegionSequence                  tagID = 0x00082218
	tagBurnedInAnnotation                      tagID = 0x00280301
	tagRecognizableVisualFeatures              tagID = 0x00280302
	tagLongitudinalTemporalInformationModified tagID = 0x00280303
)

// dummyTime dates what is de-identified.
var dummyTime = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)

// pseudonyms makes the names that stand for UIDs and patients: a keyed hash
// (HMAC-SHA-256) of what they stand for. The same secret gives the same pseudonyms,
// so that references between files, series and exports hold; without it nobody can
// find the original by trying.
type pseudonyms struct{ secret []byte }

func (p pseudonyms) hash(kind string, value []byte) []byte {
	h := hmac.New(sha256.New, p.secret)
	h.Write(append([]byte(kind+"\x00"), value...))
	return h.Sum(nil)
}

// uid returns the pseudonym of a UID, or of each of several. UIDs of the standard
// itself, which name classes and syntaxes, stay.
func (p pseudonyms) uid(value []byte) []byte {
	values := bytes.Split(bytes.TrimRight(value, valuePadding), []byte{'\\'})
	for i, v := range values {
		if v = bytes.TrimSpace(v); len(v) > 0 && !bytes.HasPrefix(v, []byte("1.2.840.10008.")) {
			values[i] = []byte(deriveUID([]byte("pseudonym"), p.hash("uid", v)))
		}
	}
	return bytes.Join(values, []byte{'\\'})
}

// patient returns the pseudonym of the patient of a source: of the patient ID and
// its issuer, or, where there is none, of the study.
func (p pseudonyms) patient(s *derivedImage) []byte {
	id := slices.Concat(s.source(tagPatientID), []byte{0}, s.source(tagIssuerOfPatientID))
	if len(id) == 1 {
		id = s.source(tagStudyInstanceUID)
	}
	return fmt.Appendf(nil, "Q%X", p.hash("patient", id)[:8])
}

// deidentified is what an image has beside its cleaned attributes.
type deidentified struct {
	patient  []byte // pseudonym
	warnings []string
}

// deidentify applies the profile to the source, so that everything after works on
// attributes without identity. The pixels stay as they are.
func (s *derivedImage) deidentify(p pseudonyms) error {
	s.identity = &deidentified{patient: p.patient(s), warnings: s.identityWarnings()}
	c := cleaner{p, s.bytes}
	data, err := c.clean(nil, s.file.elements, s.enc, 0, false)
	if err != nil {
		return fileError(s.slices[0].name, adviseNIfTI, err, "its attributes cannot be de-identified (%s)", reason(err))
	}
	return s.rewrite(s.file.syntax.uid, data)
}

// cleaner applies the profile to data sets whose bytes lie in b.
type cleaner struct {
	pseudonyms
	b []byte
}

// clean appends elements as the profile leaves them. Inside a sequence that is to
// be a dummy, hidden is set: texts that would stay are dummies there too.
func (c cleaner) clean(out []byte, elements []element, enc encoding, depth int, hidden bool) ([]byte, error) {
	var err error
	for _, e := range elements {
		vr := e.vr
		if vr == "" || vr == "UN" {
			vr = dictionaryVR(e.tag)
		}
		what := actionOf(e.tag, e.vr)
		switch {
		case e.tag.element() == 0: // a group length, now wrong
		case what == remove:
		case what == empty:
			out = appendElement(out, enc, e.tag, vr, nil)
		case vr == "SQ":
			out, err = c.sequence(out, e, enc, depth+1, hidden || what == dummy)
		case e.length == undefinedLength, e.tag == tagPixelData && depth > 0: // bytes in an unknown form, another picture
		case what == replaceID && vr == "UI":
			out = appendElement(out, enc, e.tag, vr, c.uid(c.b[e.value:e.end]))
		case what == dummy || what == replaceID || hidden && vr != "CS" && dummyValue(vr) != nil:
			var value []byte
			if len(bytes.TrimRight(c.b[e.value:e.end], valuePadding)) > 0 {
				value = dummyValue(vr)
			}
			if vr == "UI" {
				value = c.uid(c.b[e.value:e.end])
			}
			out = appendElement(out, enc, e.tag, vr, value)
		default:
			out = append(out, c.b[e.start:e.end]...)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sequence appends a sequence with its items cleaned. An item of which nothing is
// left goes, unless its place has a meaning, as in functional groups.
func (c cleaner) sequence(out []byte, e element, enc encoding, depth int, hidden bool) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("sequences are nested deeper than %d", maxDepth)
	}
	var items []byte
	err := eachItem(c.b, e, enc, func(item sequenceItem) error {
		cleaned, err := c.clean(nil, slices.Clone(item.elements), item.enc, depth, hidden)
		if len(cleaned) > 0 || len(item.elements) == 0 || e.tag == tagPerFrameFunctionalGroupsSequence {
			items = appendItem(items, item.enc, cleaned)
		}
		return err
	})
	vr := "SQ"
	if e.vr == "UN" {
		vr = "UN" // its items are implicit little endian (CP-246)
	}
	return appendElement(out, enc, e.tag, vr, items), err
}

// identityEdits are what the object says of its de-identification.
func (s *derivedImage) identityEdits() []edit {
	var edits []edit
	set := func(t tagID, vr string, value []byte) {
		edits = append(edits, edit{t, appendElement(nil, s.enc, t, vr, value)})
	}
	set(tagPatientName, "PN", s.identity.patient)
	set(tagPatientID, "LO", s.identity.patient)
	set(tagPatientIdentityRemoved, "CS", []byte("YES"))
	set(tagDeidentificationMethod, "LO", []byte(`Quell\PS3.15 Basic Application Level Confidentiality Profile`))
	methods := s.sourceItems(tagDeidentificationMethodCodeSequence) // of an earlier time
	if profile := appendItem(nil, s.enc, codeItem(s.enc, basicConfidentiality)); !bytes.Contains(methods, profile) {
		methods = append(methods, profile...)
	}
	set(tagDeidentificationMethodCodeSequence, "SQ", methods)
	set(tagLongitudinalTemporalInformationModified, "CS", []byte("REMOVED"))
	return append(edits, s.tileEdits()...)
}

// headWords are parts of words that tell a head, in the languages that
// descriptions are often written in.
var headWords = []string{"HEAD", "BRAIN", "SKULL", "CRANI", "CEREB", "NEURO", " FACE", "FACIAL", "SINUS", "ORBIT", "JAW", "KOPF", "SCHAED", "SCHÄD", "HIRN", "TETE", "CABEZA", "TESTA"}

// identityWarnings says what the profile leaves in the pixels of the source.
func (s *derivedImage) identityWarnings() []string {
	var w []string
	switch string(s.source(tagBurnedInAnnotation)) {
	case "NO":
	case "YES":
		w = append(w, "The source says that text is burned into its pixels; it is still there.")
	default:
		w = append(w, "The source does not say whether text is burned into its pixels; look at every image.")
	}
	part := s.source(tagBodyPartExamined)
	region := s.sourceItems(tagAnatomicRegionSequence)
	words := strings.ToUpper(string(bytes.Join([][]byte{nil, part, region, s.source(tagStudyDescription),
		s.source(tagSeriesDescription), s.source(tagProtocolName)}, []byte{' '})))
	switch {
	case string(s.source(tagRecognizableVisualFeatures)) == "YES",
		slices.ContainsFunc(headWords, func(word string) bool { return strings.Contains(words, word) }):
		w = append(w, "The series shows a head: a surface made of its slices shows a face that can be recognised.")
	case len(part) == 0 && len(region) == 0:
		w = append(w, "The source does not say which part of the body it shows; if it is a head, a surface made of its slices shows a face that can be recognised.")
	}
	return w
}
