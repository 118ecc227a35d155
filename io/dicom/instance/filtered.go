package instance

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"quell/io/dicom/part10"
)

// processing returns what an image says of its reconstruction, a line each: the texts of fields that name filters, and
// the elements of scanner makers in the words that Filtered knows.
func processing(a part10.Attributes) string {
	var lines []string
	for _, t := range []part10.Tag{part10.TagConvolutionKernel, part10.TagFilterType, part10.TagReconstructionAlgorithm, part10.TagImageType,
		part10.TagDerivationDescription, part10.TagSeriesDescription, part10.TagProtocolName} {
		lines = append(lines, a.Strings(t)...)
	}
	kernel, siemens := a.Strings(part10.TagConvolutionKernel), strings.HasPrefix(strings.ToUpper(a.Text(part10.TagManufacturer)), "SIEMENS")
	if siemens && len(kernel) > 0 && kernel[0] != "" {
		iterative := kernel[0][0] == 'I' || kernel[0][0] == 'J'
		switch n := len(kernel); {
		case n == 1 && iterative:
			lines = append(lines, "ITERATIVE")
		case n > 1 && iterative:
			lines = append(lines, "SAFIRE "+kernel[1])
		case n > 1 && strings.Contains(a.Text(part10.TagManufacturerModelName), "NAEOTOM"):
			lines = append(lines, "QIR "+kernel[1])
		case n > 1:
			lines = append(lines, "ADMIRE "+kernel[1])
		}
	}
	if of := a.Strings(part10.TagGEReconMode); len(of) > 0 {
		lines = append(lines, strings.Join(append(of, a.Strings(part10.TagGEReconLevel)...), " "))
	}
	if level := a.Strings(part10.TagGEDeepLearning); len(level) > 0 {
		lines = append(lines, "AIR Recon DL "+level[len(level)-1])
	}
	if level := a.Text(part10.TagPhilipsIDose); level != "" {
		lines = append(lines, "iDose "+level)
	}
	for _, v := range slices.Concat(a.Strings(part10.TagImageType), a.Strings(part10.TagSiemensImageTypeText)) {
		if name := deepResolve[v]; siemens && name != "" {
			lines = append(lines, name)
		}
	}
	return strings.Join(lines, "\n")
}

// deepResolve are the terms in the image type of Siemens's MR.
var deepResolve = map[string]string{"DRG": "Deep Resolve Gain", "DRB": "Deep Resolve Boost", "DRS": "Deep Resolve Sharp", "FIL": "Image filter"}

// reconstruction is a way of reconstruction or a filter that takes noise.
type reconstruction struct {
	name    string
	pattern *regexp.Regexp
	ct      bool // the name may mean something else in other modalities
}

// reconstructions are those that are known by name.
var reconstructions = func() (out []reconstruction) {
	for _, names := range [][]string{
		{"AIR Recon DL", "Deep Resolve", "Deep Resolve Gain", "Deep Resolve Boost", "Deep Resolve Sharp", "Deep Resolve Swift Brain", "SmartSpeed=smart speed",
			"ASiR", "ASiR-V", "TrueFidelity=true fidelity|DLIR", "ADMIRE", "SAFIRE", "iDose=iDose4?", "Precise Image", "AIDR 3D=AIDR( 3DE?)?", "AiCE", "PIQE",
			"KARL 3D", "DeepRecon=deep recon", "Intelli IP", "ClariCT", "PixelShine", "SubtleMR=subtle MR", "SubtlePET=subtle PET",
			"Deep learning=deep learning|DLR", "Iterative reconstruction=iterative( recon(struction)?)?", "Image filter", "Denoising=denoised"},
		{"QIR", "IMR", "Veo", "MBIR", "IPV", "ClearView=clear view", "FIRST=FIRST (?:body|cardiac|lung|bone|brain|abdomen|liver)"},
	} {
		for _, name := range names {
			name, pattern, other := strings.Cut(name, "=")
			if !other {
				pattern = name
			}
			pattern = strings.NewReplacer(" ", "[ _-]*", "-", "[ _-]*").Replace(pattern)
			out = append(out, reconstruction{name, regexp.MustCompile(`(?i)(?:^|[^\pL])(` + pattern + `)(?:$|[^\pL])`), names[0] == "QIR"})
		}
	}
	return out
}()

var (
	strength = regexp.MustCompile(`(?i)^[ _(-]*(?:(?:SS|AR)?(\d+(?:\.\d+)?) ?(%|mm)?|(off|none|mild|standard|strong|weak|enhanced|high|medium|low|[lmh])(?:$|[^\pL]))`)
	denied   = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:no|non|not|without|w/o)[ _-]*$`)
)

// Filtered names what filtered the image before it was stored, as its header says; "" if it says nothing.
func (s *Slice) Filtered() string {
	var names, out []string
	for _, r := range slices.Backward(reconstructions) { // a longer name comes after the name that it begins with
		if r.ct && s.Meta.Modality != "CT" || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, r.name) }) {
			continue
		}
		best := ""
		for line := range strings.Lines(s.processing) {
			if text := r.in(strings.TrimRight(line, "\n")); len(text) > len(best) {
				best = text
			}
		}
		if best != "" {
			names, out = append(names, r.name), append(out, best)
		}
	}
	if len(out) > 1 { // a name says more
		out = slices.DeleteFunc(out, func(n string) bool { return n == "Iterative reconstruction" || n == "Deep learning" })
	}
	slices.Reverse(out)
	return strings.Join(out, ", ")
}

// in returns the name with its strength, if a text names it and does not deny it.
func (r reconstruction) in(text string) string {
	at := r.pattern.FindStringSubmatchIndex(text)
	if at == nil || denied.MatchString(text[:at[2]]) {
		return ""
	}
	m := strength.FindStringSubmatch(text[at[3]:])
	if m == nil {
		return r.name
	}
	n, err := strconv.Atoi(m[1])
	switch word := strings.ToLower(m[3]); {
	case word == "off", word == "none", err == nil && n == 0:
		return ""
	case word != "":
		return r.name + " " + m[3]
	case err != nil || m[2] == "mm" || n > 100: // a thickness
		return r.name
	}
	return r.name + " " + m[1] + m[2]
}
