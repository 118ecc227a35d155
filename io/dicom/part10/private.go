package part10

import (
	"slices"
	"strings"
)

// privateElement is a private attribute that is read. Its Tag constant is where its maker usually puts it.
type privateElement struct {
	owner string // private creator of its block
	maker string // how the manufacturer of its files begins, in upper case
	vr    string // a file in implicit VR does not say it, and an archive that does not know it makes it UN
}

// The owners of private blocks. A block lies anywhere in its group: the element that names its owner says where (PS3.5
// 7.8.1).
const (
	ownerSiemensMR    = "SIEMENS MR HEADER"
	ownerSiemensFrame = "SIEMENS MR SDI 02"
	ownerSiemensCSA   = "SIEMENS CSA HEADER"
	ownerGE           = "GEMS_ACQU_01"
	ownerGEParameter  = "GEMS_PARM_01"
	ownerGECT         = "GEHC_CT_ADVAPP_001"
	ownerUIH          = "Image Private Header"
	ownerPhilips      = "Philips Imaging DD 001"
	ownerPhilipsMR    = "Philips MR Imaging DD 001"
)

// privateElements are the private attributes that are read.
var privateElements = map[Tag]privateElement{
	TagSiemensMosaicImages:    {ownerSiemensMR, "SIEMENS", "US"},
	TagSiemensBValue:          {ownerSiemensMR, "SIEMENS", "IS"},
	TagSiemensDirection:       {ownerSiemensMR, "SIEMENS", "FD"},
	TagSiemensBMatrix:         {ownerSiemensMR, "SIEMENS", "FD"},
	TagSiemensCSAImageHeader:  {ownerSiemensCSA, "SIEMENS", "OB"},
	TagSiemensImageTypeText:   {ownerSiemensFrame, "SIEMENS", "CS"},
	TagSiemensFrameSequence:   {ownerSiemensFrame, "SIEMENS", "SQ"},
	TagGEDirectionX:           {ownerGE, "GE ", "DS"},
	TagGEDirectionY:           {ownerGE, "GE ", "DS"},
	TagGEDirectionZ:           {ownerGE, "GE ", "DS"},
	TagGEDirections:           {ownerGE, "GE ", "DS"},
	TagGERawDataType:          {ownerGEParameter, "GE ", "SS"},
	TagGEBValue:               {ownerGEParameter, "GE ", "IS"},
	TagGEDeepLearning:         {ownerGEParameter, "GE ", "LO"},
	TagGEReconMode:            {ownerGECT, "GE ", "LO"},
	TagGEReconLevel:           {ownerGECT, "GE ", "SH"},
	TagUIHBValue:              {ownerUIH, "UIH", "FD"},
	TagUIHDirection:           {ownerUIH, "UIH", "FD"},
	TagUIHFrameSequence:       {ownerUIH, "UIH", "SQ"},
	TagPhilipsIDose:           {"ELSCINT1", "PHILIPS", "IS"},
	TagPhilipsBValue:          {ownerPhilips, "PHILIPS", "FL"},
	TagPhilipsDirectionRL:     {ownerPhilipsMR, "PHILIPS", "FL"},
	TagPhilipsDirectionAP:     {ownerPhilipsMR, "PHILIPS", "FL"},
	TagPhilipsDirectionFH:     {ownerPhilipsMR, "PHILIPS", "FL"},
	TagPhilipsFrameSequence:   {"Philips MR Imaging DD 005", "PHILIPS", "SQ"},
	TagPhilipsDiffusionVolume: {"Philips MR Imaging DD 006", "PHILIPS", "IS"},
}

// CreatorOf returns where a private attribute that is read usually has the element that names the owner of its block,
// and the owner.
func CreatorOf(t Tag) (creator Tag, owner string) {
	return Tag(t.Group())<<16 | Tag(t.Element()>>8), privateElements[t].owner
}

// ownElement names a private element whatever its block.
type ownElement struct {
	group uint16
	owner string
	low   uint8
}

var usualTags = func() map[ownElement]Tag {
	out := map[ownElement]Tag{}
	for t, p := range privateElements {
		out[ownElement{t.Group(), p.owner, uint8(t.Element())}] = t
	}
	return out
}()

// privateGroups are the groups of the private attributes that are read.
var privateGroups = func() (out []uint16) {
	for t := range privateElements {
		if !slices.Contains(out, t.Group()) {
			out = append(out, t.Group())
		}
	}
	return out
}()

// blocks are the private blocks of a data set or an item, as far as it was walked.
type blocks struct {
	maker string // manufacturer, in upper case; "" if it is not known
	owned []ownedBlock
}

type ownedBlock struct {
	creator Tag
	owner   string
}

// isCreator reports whether an element names the owner of a block that may hold an attribute that is read.
func isCreator(t Tag) bool {
	return t.Element() >= 0x10 && t.Element() <= 0xFF && slices.Contains(privateGroups, t.Group())
}

// reserve notes the owner of a block.
func (b *blocks) reserve(creator Tag, owner []byte) {
	b.owned = append(b.owned, ownedBlock{creator, strings.Trim(string(owner), ValuePadding)})
}

// usual returns the Tag constant of an element: its tag, for a private attribute that is read the usual one, and 0 for
// an element of another owner that lies where one is read. It is by guess if nothing names the owner of the block, as
// anonymisers leave it: then the maker and the VR must fit.
func (b *blocks) usual(e Element) (t Tag, guess bool) {
	group, number := e.Tag.Group(), e.Tag.Element()>>8
	if number < 0x10 || !slices.Contains(privateGroups, group) {
		return e.Tag, false
	}
	for _, o := range b.owned {
		if o.creator != Tag(group)<<16|Tag(number) {
			continue
		}
		if t, ok := usualTags[ownElement{group, o.owner, uint8(e.Tag.Element())}]; ok {
			return t, false
		}
		if _, taken := privateElements[e.Tag]; taken {
			return 0, false
		}
		return e.Tag, false
	}
	p, read := privateElements[e.Tag]
	switch {
	case !read:
		return e.Tag, false
	case b.maker == "" || !strings.HasPrefix(b.maker+" ", p.maker) || e.VR != "" && e.VR != "UN" && e.VR != p.vr:
		return 0, false
	}
	return e.Tag, true
}

// Usual returns the Tag constant of an element of an item, see [SequenceItem]: its tag, or for a private attribute that
// is read the usual one; 0 for an element of another owner that lies where one is read.
func (it SequenceItem) Usual(b []byte, e Element) Tag {
	if e.Tag.Group()%2 == 0 {
		return e.Tag
	}
	var own blocks
	for _, c := range it.Elements {
		if isCreator(c.Tag) && c.Length != UndefinedLength {
			own.reserve(c.Tag, b[c.Value:c.End])
		}
	}
	t, _ := own.usual(e)
	return t
}
