package main

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// secrets are texts by what they stand in, all with one random beginning. That is searched as it
// is, in small letters, in UTF-16, in base64 and inside gzip.
type secrets struct {
	start string
	known map[string]string // the secret of a place
	place map[string]string
}

func newSecrets() *secrets {
	return &secrets{"QZ" + rand.Text()[:7], map[string]string{}, map[string]string{}}
}

// in returns the secret of a place, of upper case letters and digits, which every text attribute
// may hold.
func (s *secrets) in(place string) string {
	if s.known[place] == "" {
		text := fmt.Sprintf("%s%05d", s.start, len(s.known))
		s.known[place], s.place[text] = text, place
	}
	return s.known[place]
}

// found lists what a text holds secrets of.
func (s *secrets) found(data []byte) (places []string) {
	for _, form := range []string{s.start, strings.ToLower(s.start), string(utf16Of(s.start, 0)), string(utf16Of(s.start, 1))} {
		for rest := data; ; {
			at := bytes.Index(rest, []byte(form))
			if at < 0 {
				break
			}
			rest = rest[at:]
			text := strings.ToUpper(string(rest[:min(len(rest), len(s.start)+5)]))
			if place := s.place[text]; place != "" {
				places = append(places, place)
			} else {
				places = append(places, "some place: "+text)
			}
			rest = rest[1:]
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

func utf16Of(text string, shift int) (out []byte) {
	for _, r := range utf16.Encode([]rune(text)) {
		pair := []byte{byte(r), byte(r >> 8)}
		out = append(out, pair[shift], pair[1-shift])
	}
	return out
}

var base64Text = regexp.MustCompile(`[A-Za-z0-9+/=]{24,}`)

// search looks through a text, what is packed in it, and what is packed in that.
func (s *secrets) search(t *testing.T, where string, data []byte, depth int) {
	t.Helper()
	for _, place := range s.found(data) {
		if strings.HasSuffix(where, ".dcm") && isDescribed(place) {
			continue
		}
		t.Errorf("%s holds the secret of %s", where, place)
	}
	if depth == 0 {
		return
	}
	if z, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		inner, _ := io.ReadAll(z)
		s.search(t, where+" (gzip)", inner, depth-1)
	}
	for _, text := range base64Text.FindAll(data, -1) {
		if inner, err := base64.StdEncoding.DecodeString(string(text)); err == nil {
			s.search(t, where+" (base64)", inner, depth-1)
		}
	}
}

// tree searches names and contents below a folder.
func (s *secrets) tree(t *testing.T, root string) (files int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		s.search(t, "the name "+rel, []byte(rel), 1)
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		s.search(t, rel, data, 2)
		files++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// keptTexts stay in DICOM output: what reads the images needs them, and the profile keeps them.
var keptTexts = []part10.Tag{
	part10.TagSpecificCharacterSet, part10.TagModality, part10.TagPhotometricInterpretation, part10.TagBurnedInAnnotation, part10.TagPatientIdentityRemoved,
	part10.TagLossyImageCompression, part10.TagImageType, part10.TagPixelData, part10.TagPresentationLUTShape,
}

// textTags are the attributes of the dictionary that hold texts.
var textTags = sync.OnceValue(func() (all []part10.Tag) {
	for _, group := range []int{0x08, 0x10, 0x12, 0x14, 0x18, 0x20, 0x28, 0x32, 0x38, 0x40, 0x54, 0x88, 0x4008} {
		for element := 1; element <= 0xFFFF; element++ {
			tag := part10.Tag(group<<16 | element)
			switch part10.DictionaryVR(tag) {
			case "AE", "CS", "LO", "LT", "PN", "SH", "ST", "UC", "UR", "UT":
				if !slices.Contains(keptTexts, tag) {
					all = append(all, tag)
				}
			}
		}
	}
	return all
})

// described are attributes that the profile keeps in DICOM files: maker, model and software of the
// machine, its kernel, and coded concepts.
var described = []part10.Tag{part10.TagManufacturer, part10.TagManufacturerModelName, part10.TagSoftwareVersions, part10.TagConvolutionKernel,
	part10.TagCodeValue, part10.TagCodingSchemeDesignator, 0x00080103, part10.TagCodeMeaning, 0x00080119}

// isDescribed reports whether a place is one of them.
func isDescribed(place string) bool {
	return slices.ContainsFunc(described, func(tag part10.Tag) bool { return strings.HasSuffix(place, tag.String()) })
}

// plant makes a series with a secret in every text of the dictionary, at the top, in sequences and
// private elements, in names of files, behind the pixels and in the bits that they leave.
func plant(t *testing.T, s *secrets, dir, uid string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	texts := map[part10.Tag]string{}
	for _, tag := range textTags() {
		texts[tag] = s.in(tag.String())
	}
	item := func(enc part10.Encoding) (out []byte) {
		for _, tag := range []part10.Tag{part10.TagPatientName, part10.TagSeriesDescription, part10.TagCodeMeaning, part10.TagManufacturer} {
			out = part10.AppendElement(out, enc, tag, part10.DictionaryVR(tag), []byte(s.in("an item of a sequence, "+tag.String())))
		}
		return out
	}
	for name, f := range dicomtest.Stack(4) {
		for tag, text := range texts {
			f.With(tag, text)
		}
		for _, tag := range []part10.Tag{part10.TagStudyInstanceUID, part10.TagSeriesInstanceUID, part10.TagFrameOfReferenceUID} {
			f.With(tag, f.Values[tag].(string)+"."+uid)
		}
		f.With(part10.TagSOPInstanceUID, f.Values[part10.TagSOPInstanceUID].(string)+"."+uid)
		f.With(part10.TagImageType, `ORIGINAL\PRIMARY\AXIAL\`+s.in("value 4 of the image type"))
		f.With(part10.TagWindowCenterWidthExplanation, texts[part10.TagWindowCenterWidthExplanation]+`\x`)
		f.With(0x00081140, dicomtest.RawElement(part10.AppendSequence(nil, f.Enc, 0x00081140, item(f.Enc))))
		f.With(0x00283010, dicomtest.RawElement(part10.AppendSequence(nil, f.Enc, 0x00283010, slices.Concat(
			part10.AppendElement(nil, f.Enc, 0x00283002, "US", []byte{2, 0, 0, 0, 16, 0}),
			part10.AppendElement(nil, f.Enc, 0x00283003, "LO", []byte(s.in("the explanation of a lookup table"))),
			part10.AppendElement(nil, f.Enc, 0x00283006, "OW", []byte(s.in("the data of a lookup table")))))))
		f.With(0x00540016, dicomtest.RawElement(part10.AppendSequence(nil, f.Enc, 0x00540016, slices.Concat(item(f.Enc),
			part10.AppendSequence(nil, f.Enc, 0x00081032, item(f.Enc))))))
		f.With(0x00090010, dicomtest.RawElement(part10.AppendElement(nil, f.Enc, 0x00090010, "LO", []byte(s.in("a private creator")))))
		f.With(0x00091001, dicomtest.RawElement(part10.AppendElement(nil, f.Enc, 0x00091001, "LO", []byte(s.in("a private element")))))
		f.With(0x60003000, dicomtest.RawElement(part10.AppendElement(nil, f.Enc, 0x60003000, "OW", []byte(s.in("an overlay")))))
		f.With(part10.TagDataSetTrailingPadding, []byte(s.in("the trailing padding")))
		f.With(part10.TagBitsStored, 12).With(part10.TagHighBit, 11).With(part10.TagPixelRepresentation, 0)
		high := s.in("the high bits of the pixels")
		for i := range len(f.Pixels) / 2 {
			f.Pixels[2*i+1] = f.Pixels[2*i+1]&0x0f | high[i]<<4
		}
		file := append(f.File(), "\x00\x00\x00\x00\x00\x00\x00\x00"+s.in("the bytes behind the file")...) // after zeros, as text is no element
		copy(file, s.in("the preamble"))
		if err := os.WriteFile(filepath.Join(dir, s.in("the name of a file")+name), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// A slice that is there twice is a finding with names, and one that cannot be read a failure.
	twice := dicomtest.NewFake("100", 50, 300).With(part10.TagSeriesDescription, s.in("a copy"))
	twice.Values[part10.TagSOPInstanceUID] = "1.2.3.100." + uid
	for _, tag := range []part10.Tag{part10.TagStudyInstanceUID, part10.TagSeriesInstanceUID, part10.TagFrameOfReferenceUID} {
		twice.With(tag, twice.Values[tag].(string)+"."+uid)
	}
	if err := os.WriteFile(filepath.Join(dir, s.in("the name of a copy of a file")+".dcm"), twice.File(), 0o666); err != nil {
		t.Fatal(err)
	}
	broken := dicomtest.NewFake("9."+uid, 100, 0).With(part10.TagSeriesInstanceUID, "1.2.3.99."+uid).With(part10.TagPatientName, s.in("a broken file")).File()
	beside := filepath.Join(dir, "..", s.in("the name of the folder of a broken file"))
	if err := errors.Join(os.MkdirAll(beside, 0o777), os.WriteFile(filepath.Join(beside, s.in("the name of a broken file")+".dcm"), broken[:len(broken)-8], 0o666)); err != nil {
		t.Fatal(err)
	}
}

// TestDeidentifiedCommandsWriteNoSecret runs every command that knows --deidentify, and searches
// everything that it wrote: output, records, reports, pictures, hidden state, log, the user's
// folders, standard output and standard error.
func TestDeidentifiedCommandsWriteNoSecret(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "AppData", "LocalAppData"} {
		t.Setenv(name, home)
	}
	s := newSecrets()
	in, out := filepath.Join(t.TempDir(), s.in("the name of the input")), t.TempDir()
	var folders []string
	for i := range 3 {
		folders = append(folders, filepath.Join(in, s.in(fmt.Sprint("the name of the folder of patient ", i)), s.in(fmt.Sprint("the name of the folder of series ", i))))
		plant(t, s, folders[i], fmt.Sprint(i+1))
	}
	// Copies of a series are found by their identity.
	if err := os.CopyFS(filepath.Join(in, s.in("the name of a copy")), os.DirFS(folders[0])); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(out, name) }
	common := []string{"--filter", "gaussian", "--deidentify", "--engine", "cpu", "--log", at("log")}
	runs := [][]string{
		slices.Concat([]string{"denoise", folders[0], at("one")}, common, []string{"--assess", "--report", at("one.html"), "--pictures", at("pictures"), "--json"}),
		slices.Concat([]string{"denoise", folders[1], at("two"), "--noise-out", at("noise.nii.gz"), "--compress"}, common),
		slices.Concat([]string{"denoise", in, at("largest")}, common),
		slices.Concat([]string{"denoise", at("missing" + s.in("the name of what is not there")), at("no")}, common, []string{"--json"}),
		slices.Concat([]string{"batch", in, at("batch")}, common, []string{"--json"}),
		slices.Concat([]string{"batch", in, at("batch")}, common), // a second run
		slices.Concat([]string{"batch", in, at("shards"), "--shard", "1/2", "--no-verdict", "--select", "PatientID!=" + s.in("a selection")}, common),
	}
	for _, args := range runs {
		var stdout, stderr bytes.Buffer
		code := execute(t.Context(), args, &stdout, &stderr)
		if name := args[0] + " " + filepath.Base(args[2]); code != 0 && args[0] == "denoise" && !slices.Contains([]string{"no", "largest"}, filepath.Base(args[2])) {
			t.Errorf("%s: code %d, %s", name, code, &stderr)
		}
		s.search(t, strings.Join(args[:1], " ")+" on standard output", stdout.Bytes(), 2)
		s.search(t, strings.Join(args[:1], " ")+" on standard error", stderr.Bytes(), 2)
		t.Logf("%s %s: %d\n%s", args[0], filepath.Base(args[2]), code, &stderr)
	}
	if files := s.tree(t, out) + s.tree(t, home); files < 30 {
		t.Errorf("%d files were searched", files)
	}
	report, err := os.ReadFile(at("batch/report.csv"))
	if err != nil || strings.Count(string(report), ",done,") != 6 || strings.Count(string(report), ",duplicate,") != 2 {
		t.Errorf("%s, %v", report, err)
	}
	var summary struct{ Reused, Done int }
	var stdout, stderr bytes.Buffer
	execute(t.Context(), append(runs[4], "--no-verdict"), &stdout, &stderr)
	if err := json.Unmarshal(stdout.Bytes(), &summary); err != nil || summary.Done != 6 || summary.Reused != 6 {
		t.Errorf("a later run: %+v, %v", summary, err)
	}
}

// TestRevealedInputs: what a report calls an input leads back to it, for the account of the batch.
func TestRevealedInputs(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(name, home)
	}
	s := newSecrets()
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	folder := filepath.Join(in, "Smith^John", "CT")
	plant(t, s, folder, "1")
	if code := execute(t.Context(), []string{"batch", in, out, "--filter", "gaussian", "--deidentify", "--no-verdict"}, io.Discard, io.Discard); code != 3 { // one is broken
		t.Fatal(code)
	}
	report, err := os.ReadFile(filepath.Join(out, "report.csv"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^([0-9a-f/]+),.*,done,`).FindSubmatch(report)
	if row == nil {
		t.Fatalf("no series is done: %s", report)
	}
	var stdout bytes.Buffer
	reveal := []string{"batch", in, out, "--filter", "gaussian", "--reveal"}
	if code := execute(t.Context(), append(reveal, string(row[1])), &stdout, io.Discard); code != 0 || stdout.String() != folder+"\n" {
		t.Errorf("%s stands for %q, code %d", row[1], stdout.String(), code)
	}
	if code := execute(t.Context(), append(reveal, "0123456789abcdef"), io.Discard, io.Discard); code != 2 {
		t.Errorf("an unknown pseudonym: code %d", code)
	}
	// Another account has other pseudonyms, and does not mix them with these.
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AppData", t.TempDir())
	var stderr bytes.Buffer
	if code := execute(t.Context(), []string{"batch", in, out, "--filter", "gaussian", "--deidentify", "--no-verdict"}, io.Discard, &stderr); code != 2 || !strings.Contains(stderr.String(), "another key of pseudonyms") {
		t.Errorf("another account: code %d, %s", code, &stderr)
	}
}
