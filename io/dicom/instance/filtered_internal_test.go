package instance

import (
	"slices"
	"testing"

	"quell/io/dicom/part10"
)

// TestFiltered reads what took noise before from the headers of scanners and of programs, and reads nothing where it is
// off, denied, or another word.
func TestFiltered(t *testing.T) {
	of := func(maker, modality string, more ...[]byte) [][]byte {
		return append([][]byte{text(part10.TagManufacturer, maker), text(part10.TagModality, modality)}, more...)
	}
	owned := func(tag part10.Tag, v string) []byte {
		at, owner := part10.CreatorOf(tag)
		return slices.Concat(text(at, owner), text(tag, v))
	}
	kernel := func(maker, v string) [][]byte { return of(maker, "CT", text(part10.TagConvolutionKernel, v)) }
	described := func(modality, v string) [][]byte { return of("ACME", modality, text(part10.TagSeriesDescription, v)) }
	for name, c := range map[string]struct {
		header [][]byte
		want   string
	}{
		"Siemens, FBP":                  {kernel("SIEMENS", "B30f"), ""},
		"Siemens, SAFIRE":               {kernel("SIEMENS", `I30f\3`), "SAFIRE 3"},
		"Siemens, IRIS":                 {kernel("SIEMENS", "I30f"), "Iterative reconstruction"},
		"Siemens, ADMIRE":               {kernel("Siemens Healthineers", `Br40d\2`), "ADMIRE 2"},
		"Siemens, QIR":                  {append(kernel("Siemens", `Qr40\3`), text(part10.TagManufacturerModelName, "NAEOTOM Alpha")), "QIR 3"},
		"Siemens, strength 0":           {kernel("SIEMENS", `Br40d\0`), ""},
		"two kernels of another maker":  {kernel("ACME", `Br40d\2`), ""},
		"GE, FBP":                       {kernel("GE MEDICAL SYSTEMS", "STANDARD"), ""},
		"GE, ASiR":                      {of("GE MEDICAL SYSTEMS", "CT", owned(part10.TagGEReconMode, "ASIR"), text(part10.TagGEReconLevel, "SS40")), "ASiR 40"},
		"GE, ASiR off":                  {of("GE MEDICAL SYSTEMS", "CT", owned(part10.TagGEReconMode, "ASIR"), text(part10.TagGEReconLevel, "0%")), ""},
		"GE, ASiR-V":                    {described("CT", "0.6 Lung ASIR-V 50%"), "ASiR-V 50%"},
		"GE, ASiR-V, underscores":       {described("CT", "abdomen_ASiRV_60"), "ASiR-V 60"},
		"GE, TrueFidelity":              {described("CT", "TrueFidelity-H 1.25"), "TrueFidelity H"},
		"GE, DLIR":                      {kernel("GE MEDICAL SYSTEMS", "STANDARD DLIR-M"), "TrueFidelity M"},
		"GE, Veo":                       {described("CT", "VEO chest"), "Veo"},
		"GE, AIR Recon DL":              {of("GE MEDICAL SYSTEMS", "MR", owned(part10.TagGEDeepLearning, `0.75\High`)), "AIR Recon DL High"},
		"GE, AIR Recon DL, described":   {described("MR", "Ax T2 AIR Recon DL"), "AIR Recon DL"},
		"Siemens, Deep Resolve":         {of("SIEMENS", "MR", text(part10.TagImageType, `ORIGINAL\PRIMARY\M\DRG\NORM\DRS\DIS2D`)), "Deep Resolve Gain, Deep Resolve Sharp"},
		"Siemens, Deep Resolve, own":    {of("SIEMENS", "MR", owned(part10.TagSiemensImageTypeText, `ORIGINAL\PRIMARY\M\DRB\DIS2D`)), "Deep Resolve Boost"},
		"Siemens, image filter":         {of("SIEMENS", "MR", text(part10.TagImageType, `ORIGINAL\PRIMARY\M\FIL\NORM`)), "Image filter"},
		"Siemens, no filter":            {of("SIEMENS", "MR", text(part10.TagImageType, `ORIGINAL\PRIMARY\M\NORM\DIS2D\MFSPLIT`)), ""},
		"Deep Resolve, described":       {described("MR", "t2_tse_tra_DeepResolve_Boost"), "Deep Resolve Boost"},
		"Philips, iDose":                {of("Philips", "CT", owned(part10.TagPhilipsIDose, "4 ")), "iDose 4"},
		"Philips, iDose 0":              {of("Philips", "CT", owned(part10.TagPhilipsIDose, "0 ")), ""},
		"Philips, iDose, described":     {described("CT", "LUNG 1.0 iDose (3)"), "iDose 3"},
		"Philips, iDose4":               {described("CT", "Thorax iDose4 (5)"), "iDose 5"},
		"Philips, IMR":                  {described("CT", "Head IMR 2"), "IMR 2"},
		"Philips, Precise Image":        {described("CT", "Precise Image Smoother"), "Precise Image"},
		"Philips, SmartSpeed":           {of("Philips", "MR", text(part10.TagProtocolName, "T1_SmartSpeed")), "SmartSpeed"},
		"Canon, FBP":                    {kernel("TOSHIBA", "FC08"), ""},
		"Canon, AIDR 3D":                {described("CT", "Body 1.0 FC08 AIDR 3D Strong"), "AIDR 3D Strong"},
		"Canon, AIDR3De":                {of("CANON", "CT", text(part10.TagFilterType, "AIDR3De STD")), "AIDR 3D"},
		"Canon, FIRST":                  {kernel("CANON", "FIRST BODY"), "FIRST"},
		"Canon, AiCE":                   {kernel("CANON", "AiCE Body"), "AiCE"},
		"Canon, PIQE":                   {described("MR", "COR PD PIQE"), "PIQE"},
		"ClariCT":                       {of("ACME", "CT", text(part10.TagDerivationDescription, "ClariCT.AI denoised")), "ClariCT, Denoising"},
		"a program":                     {described("MR", "dwi_denoised"), "Denoising"},
		"an algorithm":                  {of("ACME", "CT", text(part10.TagReconstructionAlgorithm, "ITERATIVE")), "Iterative reconstruction"},
		"a named algorithm":             {of("ACME", "CT", text(part10.TagReconstructionAlgorithm, "ITERATIVE"), text(part10.TagSeriesDescription, "ADMIRE 3")), "ADMIRE 3"},
		"back projection":               {of("ACME", "CT", text(part10.TagReconstructionAlgorithm, "FILTER_BACK_PROJ"), text(part10.TagFilterType, "LARGE BOWTIE FIL")), ""},
		"off":                           {described("MR", "AIR Recon DL off"), ""},
		"denied":                        {described("CT", "thorax no ASIR"), ""},
		"not":                           {described("MR", "dwi not-denoised"), ""},
		"thickness is no strength":      {described("CT", "ADMIRE 3.0 Br40"), "ADMIRE"},
		"nor are mm":                    {described("CT", "SAFIRE 3mm"), "SAFIRE"},
		"another word":                  {described("CT", "admired first pass imrt safireworks"), ""},
		"of another modality":           {described("MR", "IMR FIRST BODY"), ""},
		"DRG, the dorsal root ganglion": {described("MR", "DRG L5"), ""},
		"nothing":                       {nil, ""},
	} {
		if got := newSlice(&Instance{}, attributes(t, c.header...)).Filtered(); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}

// TestFilteredFrames reads the algorithm of a frame of enhanced CT, and the image type in Siemens's sequence.
func TestFilteredFrames(t *testing.T) {
	at, owner := part10.CreatorOf(part10.TagSiemensFrameSequence)
	frame := slices.Concat(text(at, owner), sequence(part10.TagSiemensFrameSequence, slices.Concat(text(at, owner), text(part10.TagSiemensImageTypeText, `ORIGINAL\PRIMARY\M\DRB`))),
		sequence(part10.TagCTReconstructionSequence, text(part10.TagReconstructionAlgorithm, "ITERATIVE")))
	groups, _, err := readGroups(keeping(part10.TagSharedFunctionalGroupsSequence, sequence(part10.TagSharedFunctionalGroupsSequence, frame)), part10.TagSharedFunctionalGroupsSequence, 1)
	if err != nil || len(groups) != 1 {
		t.Fatal(groups, err)
	}
	for maker, want := range map[string]string{"SIEMENS": "Deep Resolve Boost", "ACME": "Iterative reconstruction"} {
		file := attributes(t, text(part10.TagManufacturer, maker), short(part10.TagRows, 1), short(part10.TagColumns, 1), short(part10.TagBitsAllocated, 8))
		groups[0].Under = &file
		s := newSlice(&Instance{}, file)
		if got := s.Filtered(); got != "" {
			t.Errorf("%s: the file says %q", maker, got)
		}
		if problem := s.readFrame(groups[0]); !problem.IsZero() || s.Filtered() != want {
			t.Errorf("%s: %s, %q; want %q", maker, problem, s.Filtered(), want)
		}
	}
}
