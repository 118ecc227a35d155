package deid

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"quell/io/dicom/part10"
)

// action is what the profile does to one attribute.
type action byte

const (
	remove    action = 'X'
	empty     action = 'Z'
	dummy     action = 'D'
	keep      action = 'K' // of a sequence: its items are cleaned
	replaceID action = 'U' // of a sequence: likewise
	known     action = 'T' // a text of terms: known terms stay, see technique
)

// profileActions are the actions of basicProfile by tag.
var profileActions = sync.OnceValue(func() map[part10.Tag]action {
	m := map[part10.Tag]action{}
	for _, rows := range [][]profileRow{basicProfile(), furtherAttributes} {
		for _, row := range rows {
			// Of a choice by type the last action fits every type: an empty value is
			// allowed if the attribute may be missing, a dummy if it may be empty.
			m[row.Tag] = action(row.Code[len(row.Code)-1])
		}
	}
	m[part10.TagReferencedStudySequence] = remove // X/Z, but no image may have it without items
	return m
})

const (
	tagSequenceName   part10.Tag = 0x00180024
	tagVOILUTSequence part10.Tag = 0x00283010
)

// furtherAttributes are texts, and bytes of unknown meaning, that basicProfile does not name. Attributes that keep
// known terms (T) name a technique. Attributes that stay (K) describe the machine, the method or a code, and readers
// need them; those with another code may be free text but must not be missing. All other texts that basicProfile does
// not name are removed.
var furtherAttributes = []profileRow{
	{part10.TagSOPClassUID, "K", "SOP Class UID"},
	{0x0008001A, "K", "Related General SOP Class UID"},
	{0x0008001B, "K", "Original Specialized SOP Class UID"},
	{part10.TagManufacturer, "K", "Manufacturer"},
	{part10.TagCodeValue, "K", "Code Value"},
	{part10.TagCodingSchemeDesignator, "K", "Coding Scheme Designator"},
	{0x00080103, "K", "Coding Scheme Version"},
	{part10.TagCodeMeaning, "K", "Code Meaning"},
	{0x0008010C, "K", "Coding Scheme UID"},
	{0x00080117, "K", "Context UID"},
	{0x00080118, "K", "Mapping Resource UID"},
	{0x00080119, "K", "Long Code Value"},
	{part10.TagManufacturerModelName, "K", "Manufacturer's Model Name"},
	{part10.TagReferencedSOPClassUID, "K", "Referenced SOP Class UID"},
	{0x00180024, "T", "Sequence Name"},
	{0x00180031, "T", "Radiopharmaceutical"},
	{0x00180085, "T", "Imaged Nucleus"},
	{0x00181016, "X", "Secondary Capture Device Manufacturer"},
	{0x00181018, "X", "Secondary Capture Device Manufacturer's Model Name"},
	{0x00181019, "X", "Secondary Capture Device Software Versions"},
	{part10.TagSoftwareVersions, "K", "Software Versions"},
	{0x00181040, "T", "Contrast/Bolus Route"},
	{0x00181061, "T", "Trigger Source or Type"},
	{0x00181070, "T", "Radiopharmaceutical Route"},
	{0x00181160, "T", "Filter Type"},
	{0x00181180, "T", "Collimator/Grid Name"},
	{part10.TagConvolutionKernel, "K", "Convolution Kernel"},
	{0x00181250, "T", "Receive Coil Name"},
	{0x00181251, "T", "Transmit Coil Name"},
	{0x00189005, "T", "Pulse Sequence Name"},
	{0x00189041, "T", "Receive Coil Manufacturer Name"},
	{0x00189047, "T", "Multi-Coil Element Name"},
	{0x00189050, "T", "Transmit Coil Manufacturer Name"},
	{0x00189080, "D", "Metabolite Map Description"},
	{0x00189252, "D", "ASL Technique Description"},
	{0x0018925B, "D", "ASL Crusher Description"},
	{0x0018925E, "D", "ASL Bolus Cut-off Technique"},
	{0x00189320, "T", "Image Filter"},
	{part10.TagPositionReferenceIndicator, "Z", "Position Reference Indicator"},
	{part10.TagStackID, "T", "Stack ID"},
	{0x00209213, "T", "Dimension Index Private Creator"},
	{0x00209238, "T", "Functional Group Private Creator"},
	{0x00280A04, "D", "Pixel Spacing Calibration Description"},
	{part10.TagRescaleType, "T", "Rescale Type"},
	{part10.TagWindowCenterWidthExplanation, "X", "Window Center & Width Explanation"},
	{0x00281201, "K", "Red Palette Color Lookup Table Data"},
	{0x00281202, "K", "Green Palette Color Lookup Table Data"},
	{0x00281203, "K", "Blue Palette Color Lookup Table Data"},
	{0x00281204, "K", "Alpha Palette Color Lookup Table Data"},
	{0x00281221, "K", "Segmented Red Palette Color Lookup Table Data"},
	{0x00281222, "K", "Segmented Green Palette Color Lookup Table Data"},
	{0x00281223, "K", "Segmented Blue Palette Color Lookup Table Data"},
	{0x00281224, "K", "Segmented Alpha Palette Color Lookup Table Data"},
	{0x00283003, "X", "LUT Explanation"},
	{0x00283004, "T", "Modality LUT Type"},
	{0x00283006, "K", "LUT Data"},
	{tagVOILUTSequence, "X", "VOI LUT Sequence"}, // its data are bytes of any meaning; a window says the same
	{0x00409210, "X", "LUT Label"},
	{0x00541101, "T", "Attenuation Correction Method"},
	{0x00541103, "T", "Reconstruction Method"},
	{0x00541105, "T", "Scatter Correction Method"},
	{part10.TagPixelData, "K", "Pixel Data"},
}

// actionOf returns the action for an attribute of VR vr in the file (empty in
// implicit VR). Besides the tables:
//   - private attributes, curves (50xx), overlays (60xx) and attributes of a DICOMDIR
//     (group 0004) are removed; of an overlay even the numbers, which have no meaning
//     without its data, and that may be drawn text;
//   - attributes that are not in the data dictionary are removed;
//   - of the rest numbers and sequences stay, of code strings the known terms, UIDs are
//     replaced, and texts, dates and bytes are removed.
func actionOf(t part10.Tag, vr string) action {
	if group := t.Group(); group%2 == 1 || group == 0x0004 || group>>8 == 0x50 || group>>8 == 0x60 {
		return remove
	}
	if a, ok := profileActions()[t]; ok {
		return a
	}
	known := actionOfVR(part10.DictionaryVR(t))
	if vr != "" && vr != "UN" && actionOfVR(vr) != known {
		return remove // the file makes something else of it than the standard
	}
	return known
}

// actionOfVR is the rule for attributes that no table names.
func actionOfVR(vr string) action {
	switch {
	case vr == "UI":
		return replaceID
	case strings.Contains(" SQ CS AT DS IS FD FL SL SS SV UL US UV ", " "+vr+" "):
		return keep
	}
	return remove
}

// dummyValue returns the dummy value of a VR; nil if an empty value serves as well.
func dummyValue(vr string) []byte {
	switch vr {
	case "AE", "CS", "LO", "LT", "PN", "SH", "ST", "UC", "UT":
		return []byte("REMOVED")
	case "AS":
		return []byte("000D")
	case "DA":
		return part10.Date(DummyTime)
	case "TM":
		return part10.Time(DummyTime)
	case "DT":
		return append(part10.Date(DummyTime), part10.Time(DummyTime)...)
	}
	return nil
}

// basicConfidentiality is the profile that a de-identified object names (CID 7050).
var basicConfidentiality = part10.Code{Value: "113100", Scheme: "DCM", Meaning: "Basic Application Confidentiality Profile"}

// DummyTime is the date of de-identified objects.
var DummyTime = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)

// terms are values of code strings that the standard defines, and values of makers that readers
// of images rely on. A code string of another value may hold a name.
var terms = func() map[string]bool {
	m := map[string]bool{}
	for _, list := range []string{
		// Image type, frame type.
		"ORIGINAL DERIVED PRIMARY SECONDARY AXIAL LOCALIZER REFORMATTED MIXED OTHER NONE MPR MIP MINIP PROJECTION_IMAGE CINE REF_SURVIEW SURVIEW",
		"MOSAIC ND NORM DIS2D DIS3D MFSPLIT FM FIL ADC TRACEW TRACEW_NORM FA TENSOR TENSOR_B0 DIFFUSION CALC_BVALUE EXP ADDED_IMAGES PHASE_MAP FIELDMAP PHASE MAGNITUDE REAL IMAGINARY COMPLEX P M R I",
		"M_FFE P_FFE R_FFE I_FFE M_SE P_SE R_SE I_SE M_IR P_IR R_IR M_PCA PHASE_CONTRAST_M FFE SE IR PCA T1_MAP T2_MAP B0_MAP T1 T2 T2_STAR RHO PERFUSION PERFUSION_ASL CBF CBV MTT TTP SWI MIP_SWI IN_PHASE OPP_PHASE OUT_PHASE WATER FAT W F IP OP WATER_FAT DIXON SUB SUBTRACTION MEAN AVERAGE MAX MIN SUM DENSITY_MAP RESAMPLED FILTERED MULTIPLICATION DIVISION QUANTITY ENERGY_PROP_WT ANGIO ANGIO_TIME PERFUSION_MAP ASL FMRI FLOW_ENCODED FLUID_ATTENUATED FMR VELOCITY DYNAMIC STRESS REST PROTON_DENSITY DIFFUSION_ANISO VOLUME DISTORTED UNIFORM BONE LUNG SOFT_TISSUE MONO MONOENERGETIC VIRTUAL_MONO VNC IODINE DUAL_ENERGY TOPOGRAM SPIRAL HELIX SCOUT STD",
		// Acquisition.
		"2D 3D EP GR RM SE SK MTC SS TRSS SP OSP MP RG PER CG PPG FC PFF PFP FS EPI_GEMS EDR_GEMS SFS FAST_GEMS FR_GEMS ACC_GEMS SAT_GEMS SAT1 SAT2 SAT3 SAT4 MT DB_DT FFS WE VASCTOF_GEMS SEQUENCED STATIONARY FREE CONSTANT_ANGLE SPIRAL_CT ROW COL COLUMN IEC IEC_NORMAL IEC_FIRST_LEVEL IEC_SECOND_LEVEL IEC_WHOLE_BODY DB/DT STATIC_FIELD SEGMENTED CONTINUOUS DISCONTINUOUS RECTILINEAR RADIAL CARTESIAN SPIN_ECHO GRADIENT_ECHO BOTH EPI STEADY_STATE TRANSVERSE LONGITUDINAL FREE_PRECESSION CENTRIC LINEAR REVERSE_LINEAR REVERSE_CENTRIC SINGLE FULL PARTIAL MULTIPLE WHOLE BODY SURFACE EXTREMITY MULTICOIL VOLUME_COIL HEAD_COIL PIGTAIL SLICE_AND_FREQ FREQUENCY SLICE PHASE_AND_FREQ SPAIR SPIR STIR FLAIR INVERSION_RECOVERY ISOTROPIC DIRECTIONAL BMATRIX GRADIENT POSITIVE NEGATIVE EPICARDIAL ENDOCARDIAL VENTILATED SENSE GRAPPA SMASH PILS SMS SIMULTANEOUS PRODUCT RESEARCH REALTIME PROSPECTIVE RETROSPECTIVE RESP ECG PULSE CARDIAC FLOW GATED TRIGGERED 1H 31P 23NA 13C 19F 3HE 129XE",
		// The patient in the machine, and parts of the body.
		"HFS HFP HFDR HFDL FFS FFP FFDR FFDL AFDR AFDL LFS LFP RFS RFP SFP SFS AP PA LL RL L U B A H CW CC BIPED QUADRUPED HEAD BRAIN SKULL NECK CHEST THORAX LUNG HEART ABDOMEN LIVER KIDNEY PELVIS SPINE CSPINE TSPINE LSPINE SSPINE CTSPINE TLSPINE LSSPINE BREAST SHOULDER HIP KNEE ANKLE FOOT HAND WRIST ELBOW ARM LEG FEMUR EXTREMITY UTERUS PROSTATE BLADDER COLON STOMACH AORTA CAROTID EYE ORBIT EAR IAC SINUS SINUSES FACE JAW MAXILLA MANDIBLE CLAVICLE RIB STERNUM SCAPULA HUMERUS TIBIA FIBULA FOREARM WHOLEBODY HEADNECK CHESTABDOMEN CHESTABDPELVIS ABDOMENPELVIS PHANTOM",
		// Pixels and their display.
		"MONOCHROME1 MONOCHROME2 RGB ARGB PALETTE YBR_FULL YBR_FULL_422 YBR_RCT YBR_ICT IDENTITY INVERSE SIGMOID LINEAR_EXACT YES NO Y N 00 01 NORMAL HU US OD Z Z_EFF ED EDW HU_MOD normalized PCT MGML HIGH_RES MONOCHROME COLOR TRUE TRUE_COLOR PORTRAIT LANDSCAPE ISO_10918_1 ISO_14495_1 ISO_15444_1 ISO_13818_1 CREATED UNMODIFIED MODIFIED REMOVED RECTANGULAR CIRCULAR POLYGONAL SQUARE GEOMETRY FIDUCIAL UNKNOWN UNDEFINED",
		// Modalities, and emission.
		"CT MR PT NM CR DX MG XA RF OT SC OP OPT IVUS IVOCT BMD OCT GM SM ES XC REG SEG SR PR KO BQML CNTS GML PROPCNTS DECY RAN DLYD SING NCA CDYN AC STATIC DYNAMIC GATED WHOLE_BODY NCV MLEM START ADMIN EMISSION TRANSMISSION RANDS RADIONUCLIDE RING PARTIAL_RING",
	} {
		for _, term := range strings.Fields(list) {
			m[term] = true
		}
	}
	for _, term := range []string{ // with spaces
		"AXIAL MODE", "HELICAL MODE", "CINE MODE", "SCOUT MODE", "Z MODULATION", "PROJECTION IMAGE", "PALETTE COLOR", "SPIN ECHO", "WHOLE BODY",
		"CT_SOM5 SPI", "CT_SOM5 SEQ", "CT_SOM5 TOP", "CT_SOM7 SPI", "CT_SOM7 SEQ", "CT_SOM7 TOP", "DYNAMIC CONTRAST", "HIGH CONTRAST",
	} {
		m[term] = true
	}
	return m
}()

// charset is a term of the Specific Character Set; sequenceName is how the maker of scanners names
// diffusion sequences, which is how older files give the b-value.
var (
	charset      = regexp.MustCompile(`^(ISO_IR \d{1,3}|ISO 2022 IR \d{1,3}|GB18030|GBK)$`)
	sequenceName = regexp.MustCompile(`^\*?ep_b\d{1,5}([#t]\d{0,3})*$`)
	numbers      = regexp.MustCompile(`^[-+0-9.eE\\ \x00]*$`) // of IS and DS
	shortNumber  = regexp.MustCompile(`^\d{0,2}$`)
)

// technique returns the rest of a code string or of a name of a technique: known terms stay,
// others become pseudonyms, so that what differs in them still differs.
func (p Pseudonyms) technique(t part10.Tag, value []byte) []byte {
	values := strings.Split(string(value), `\`)
	for i, v := range values {
		v = strings.Trim(v, part10.ValuePadding)
		values[i] = v
		switch {
		case terms[v], shortNumber.MatchString(v), t == part10.TagSpecificCharacterSet && charset.MatchString(v), t == tagSequenceName && sequenceName.MatchString(v):
		default:
			values[i] = fmt.Sprintf("Q%X", p.hash("term", []byte(v))[:6])
		}
	}
	return []byte(strings.Join(values, `\`))
}

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
