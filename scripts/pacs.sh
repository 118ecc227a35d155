#!/usr/bin/env bash
# Sends exported series to a real PACS and back: stores them in Orthanc by quell send (C-STORE), finds them (C-FIND),
# retrieves them (C-MOVE, C-GET) and compares every attribute and pixel with the export. Exporting the same result again must replace
# it; another recipe must make another series of the same study; a de-identified export must belong to another patient.
# Then 300 slices are found, retrieved, filtered, sent back and verified by one command, by DICOMweb and by the DICOM
# network, and the patient's name and the secret of the sign-in are looked for in everything that was written. A result
# with maps and measurements is sent, counted and retrieved by both, judged by dciodvfy and read by pydicom. In the end
# quell serve receives the bundled series, sends its result on, and waits for storage commitment.
# Needs the packages of setup.sh pacs. All data stay on this machine and are removed at the end.
#   pacs.sh              the bundled series, and a 4-D series of it
#   pacs.sh FOLDER...    every volume of these folders, and where they are a 4-D series all of them as one
# QUELL names the program to test; if it is not set, bin/quell is built.
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."

folders=()
for f in "$@"; do
	case $f in
	/*) folders+=("$f") ;;
	*) folders+=("$here/$f") ;;
	esac
done
[ $# -gt 0 ] || folders=(assets/series)

for program in Orthanc findscu movescu getscu dcmconv dcmdump dcmodify dsrdump dciodvfy; do
	PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || { echo "pacs: $program is missing; scripts/setup.sh pacs installs it" >&2; exit 1; }
done
python=$(command -v /usr/bin/python3 || command -v python3) # Debian's first: its pydicom is a package
"$python" -c 'import pydicom' 2>/dev/null || { echo "pacs: pydicom is missing; scripts/setup.sh pacs installs it" >&2; exit 1; }
quell=${QUELL:-bin/quell}
[ -n "${QUELL:-}" ] || make --no-print-directory cli

work=$(mktemp -d)
pacs=
stop_pacs() {
	[ -z "$pacs" ] || { kill "$pacs" && wait "$pacs"; } 2>/dev/null || true
	pacs=
}
trap 'stop_pacs; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/config # a pseudonym key for these exports alone

checks=0
ok() { checks=$((checks + 1)); echo "pacs: ok: $*"; }
fail() { echo "pacs: FAILED: $*" >&2; exit 1; }
same() { # WHAT GOT WANT
	[ "$2" = "$3" ] || fail "$1 is \"$2\", not \"$3\""
}

# --- the PACS ---------------------------------------------------------------

aet=QUELLPACS me=QUELL secret=wxyzsecret
plugin=/usr/share/orthanc/plugins/libOrthancDicomWeb.so
[ -e "$plugin" ] || { echo "pacs: $plugin is missing; scripts/setup.sh pacs installs it" >&2; exit 1; }

taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
free_port() {
	local p
	while p=$((RANDOM % 20000 + 20000)) && taken "$p"; do :; done
	echo "$p"
}

# start_pacs [again] starts an empty PACS, on the ports of the last one if asked.
start_pacs() {
	[ $# -gt 0 ] || { dicom=$(free_port) http=$(free_port) back=$(free_port); }
	rm -rf "$work/store" && mkdir "$work/store"
	# Only this machine has access: HTTP listens on loopback, and DICOM knows one peer, on loopback too.
	cat >"$work/orthanc.json" <<-JSON
		{"Name": "quell", "StorageDirectory": "$work/store", "IndexDirectory": "$work/store",
		 "DicomAet": "$aet", "DicomPort": $dicom, "DicomCheckCalledAet": true, "HttpPort": $http,
		 "RemoteAccessAllowed": false, "AuthenticationEnabled": true, "RegisteredUsers": {"user": "$secret"}, "OverwriteInstances": true,
		 "DicomAlwaysAllowEcho": false, "DicomAlwaysAllowStore": false, "DicomCheckModalityHost": true,
		 "DicomModalities": {"quell": {"AET": "$me", "Host": "127.0.0.1", "Port": $back, "AllowEcho": true,
		  "AllowStore": true, "AllowFind": true, "AllowMove": true, "AllowGet": true}},
		 "DefaultEncoding": "Utf8", "Plugins": ["$plugin"]}
	JSON
	PATH=$PATH:/usr/sbin Orthanc "$work/orthanc.json" >"$work/orthanc.log" 2>&1 &
	pacs=$!
	local i
	for i in $(seq 100); do
		kill -0 "$pacs" 2>/dev/null || break
		taken "$http" && taken "$dicom" && return
		sleep 0.1
	done
	tail -n 5 "$work/orthanc.log" >&2
	fail "Orthanc did not start"
}

# instances prints the number of instances in the PACS.
instances() {
	local reply
	exec 3<>"/dev/tcp/127.0.0.1/$http"
	printf 'GET /statistics HTTP/1.0\r\nAuthorization: Basic %s\r\n\r\n' "$(printf 'user:%s' "$secret" | base64)" >&3
	reply=$(cat <&3)
	exec 3<&-
	sed -n 's/.*"CountInstances" : \([0-9]*\).*/\1/p' <<<"$reply"
}

# --- DICOM ------------------------------------------------------------------

# value FILE KEYWORD prints an attribute of a file that is not inside a sequence, in UTF-8 if dcmtk knows the file's
# character set.
value() {
	{ dcmdump -q -M +L +U8 +p +P "$2" "$1" 2>/dev/null || dcmdump -q -M +L +p +P "$2" "$1"; } | sed -nE '/^\([^)]*\) /{
		s/^\([^)]*\) .. //
		s/ +#[^#]*$//
		s/^=//
		s/^\[(.*)\]$/\1/
		s/^\(no value available\)$//
		p
	}'
}

store() { # FOLDER
	"$quell" send --to "$aet@127.0.0.1:$dicom" --from "$me" "$1" >/dev/null || fail "$1 could not be stored"
}

# find_one LEVEL KEY=VALUE... queries the PACS and saves the answer in $work/answer.dcm; there must be exactly one.
find_one() {
	local level=$1 key keys=()
	shift
	for key in "$@"; do keys+=(-k "$key"); done
	rm -rf "$work/find" && mkdir "$work/find"
	findscu -q -S -aet "$me" -aec "$aet" -X -od "$work/find" -k "QueryRetrieveLevel=$level" "${keys[@]}" 127.0.0.1 "$dicom"
	set -- "$work/find"/*.dcm
	{ [ $# -eq 1 ] && [ -e "$1" ]; } || fail "C-FIND $level ${keys[*]}: $# answers"
	mv "$1" "$work/answer.dcm"
}

# canonical FILE OUT writes a data set as dcmtk encodes it, so that equal attributes are equal bytes: the network may
# change the lengths of sequences and convert uncompressed pixels from one encoding to another.
canonical() {
	case $(value "$1" TransferSyntaxUID) in
	LittleEndian* | BigEndian*) dcmconv -q -F +e -g +te "$1" "$2" ;;
	*) dcmconv -q -F +e -g "$1" "$2" ;;
	esac
}

# prefer FILE prints the option that asks for the file's own transfer syntax.
prefer() {
	case $(value "$1" TransferSyntaxUID) in
	LittleEndianImplicit) echo +xi ;;
	BigEndianExplicit) echo +xb ;;
	RLELossless) echo +xr ;;
	JPEGLossless*) echo +xs ;;
	JPEGLSLossless) echo +xt ;;
	JPEG2000LosslessOnly) echo +xv ;;
	*) echo +xe ;;
	esac
}

# compare FOLDER BACK checks that every file of FOLDER came back with every byte of its data set.
compare() {
	local f uid got n=0
	for f in "$1"/*.dcm; do
		uid=$(value "$f" SOPInstanceUID)
		got=("$2"/*"$uid")
		[ -f "${got[0]}" ] || fail "$(basename "$f") did not come back ($uid)"
		canonical "$f" "$work/sent.raw" && canonical "${got[0]}" "$work/got.raw" || fail "$(basename "$f") cannot be read"
		cmp -s "$work/sent.raw" "$work/got.raw" || fail "$(basename "$f") came back changed"
		n=$((n + 1))
	done
	same "number of files that came back" "$(find "$2" -type f | wc -l)" "$n"
}

# round_trip FOLDER NAME stores a folder, and checks that it is found with its attributes and comes back unchanged. NAME
# is printed.
round_trip() {
	local dir=$1 name=$2 first study series n files=("$1"/*.dcm)
	first=${files[0]} n=${#files[@]}
	study=$(value "$first" StudyInstanceUID) series=$(value "$first" SeriesInstanceUID)
	store "$dir"

	find_one STUDY "StudyInstanceUID=$study" PatientID ModalitiesInStudy NumberOfStudyRelatedSeries
	same "patient of the study" "$(value "$work/answer.dcm" PatientID)" "$(value "$first" PatientID)"
	[[ "\\$(value "$work/answer.dcm" ModalitiesInStudy)\\" == *"\\$(value "$first" Modality)\\"* ]] || fail "the study has no modality $(value "$first" Modality)"
	find_one SERIES "StudyInstanceUID=$study" "SeriesInstanceUID=$series" SeriesDescription Modality SeriesNumber NumberOfSeriesRelatedInstances
	same "number of instances" "$(value "$work/answer.dcm" NumberOfSeriesRelatedInstances)" "$n"
	local key
	for key in SeriesDescription Modality SeriesNumber; do
		same "$key" "$(value "$work/answer.dcm" "$key")" "$(value "$first" "$key")"
	done

	local own ways=retrieved
	own=$(prefer "$first")
	rm -rf "$work/moved" "$work/got" && mkdir "$work/moved" "$work/got"
	movescu -q -S -aet "$me" -aec "$aet" -aem "$me" +P "$back" "$own" -od "$work/moved" \
		-k QueryRetrieveLevel=SERIES -k "StudyInstanceUID=$study" -k "SeriesInstanceUID=$series" 127.0.0.1 "$dicom"
	compare "$dir" "$work/moved"
	# getscu proposes every transfer syntax at once, and Orthanc then decompresses.
	if [[ $own == +x[ibe] ]]; then
		getscu -q -S -aet "$me" -aec "$aet" "$own" -od "$work/got" \
			-k QueryRetrieveLevel=SERIES -k "StudyInstanceUID=$study" -k "SeriesInstanceUID=$series" 127.0.0.1 "$dicom"
		compare "$dir" "$work/got"
		ways="retrieved twice"
	fi
	ok "$name: $n $(value "$first" Modality) stored, found as \"$(value "$first" SeriesDescription)\", $ways byte for byte ($(value "$first" TransferSyntaxUID))"
}

# --- the checks -------------------------------------------------------------

# export_to SOURCE N OUT OPTIONS... denoises volume N of SOURCE into OUT. The output of quell goes to $work/log.
export_to() {
	local source=$1 n=$2 out=$3
	shift 3
	"$quell" denoise "$source" "$out" --series "$n" --dims 2 "$@" >"$work/log" 2>&1
}

# check SOURCE N NAME runs all checks on volume N of SOURCE, or on all of a 4-D series.
check() {
	local source=$1 n=$2 name=$3 dir=$work/out before
	rm -rf "$dir" && mkdir "$dir"
	if ! export_to "$source" "$n" "$dir/a" --filter gaussian; then
		echo "pacs: skipped: $name: $(tail -n 1 "$work/log")"
		return
	fi
	round_trip "$dir/a" "$name"
	before=$(instances)

	export_to "$source" "$n" "$dir/again" --filter gaussian || fail "$name: the second export fails: $(cat "$work/log")"
	round_trip "$dir/again" "$name, exported again"
	same "number of instances after a second export" "$(instances)" "$before"
	ok "$name: the second export replaced the first"

	local files=("$dir/a"/*.dcm) one=$dir/a/IM00001.dcm other=$dir/b/IM00001.dcm deidentified=$dir/d/IM00001.dcm
	export_to "$source" "$n" "$dir/b" --filter median --compress || fail "$name: the compressed export fails: $(cat "$work/log")"
	round_trip "$dir/b" "$name, another recipe, compressed"
	same "study of another recipe" "$(value "$other" StudyInstanceUID)" "$(value "$one" StudyInstanceUID)"
	same "number of instances after another recipe" "$(instances)" "$((before + ${#files[@]}))"
	ok "$name: another recipe is another series of the study"

	export_to "$source" "$n" "$dir/d" --filter gaussian --deidentify --compress=rle || fail "$name: the de-identified export fails: $(cat "$work/log")"
	round_trip "$dir/d" "$name, de-identified, RLE"
	local key
	for key in PatientID StudyInstanceUID SeriesInstanceUID FrameOfReferenceUID SOPInstanceUID; do
		[ -z "$(value "$deidentified" "$key")" ] || [ "$(value "$deidentified" "$key")" != "$(value "$one" "$key")" ] || fail "$name: $key survives de-identification"
	done
	same "number of instances after a de-identified export" "$(instances)" "$((before + 2 * ${#files[@]}))"
	ok "$name: the de-identified export belongs to another patient and study"
}

# dynamic OUT makes a 4-D series of the bundled one: three acquisitions of it.
dynamic() {
	local a f
	mkdir "$1"
	for a in 1 2 3; do
		for f in assets/series/*.dcm; do
			cp "$f" "$1/$a-$(basename "$f")"
		done
		dcmodify -q -nb -gin -i "AcquisitionNumber=$a" "$1/$a"-*.dcm
	done
}
if [ $# -eq 0 ]; then
	dynamic "$work/dynamic"
	folders+=("$work/dynamic")
fi

# through sends a series of 300 slices of a patient to the PACS, and back and forth by one command for each protocol.
through() {
	local tmp=$work/tmp all=$work/all patient=PLANTED^WITNESS id=PLANTEDWITNESS7 protocol reference study series begun took
	mkdir "$tmp" "$work/written"
	"$quell" phantom "$all" --kind mr --dims 512,512,300 >/dev/null 2>&1
	dcmodify -q -nb -i "PatientName=$patient" -i "PatientID=$id" "$all"/*.dcm
	study=$(value "$all/IM00001.dcm" StudyInstanceUID) series=$(value "$all/IM00001.dcm" SeriesInstanceUID)
	printf 'user:%s\n' "$secret" >"$work/secret" && chmod 600 "$work/secret"
	export TMPDIR=$tmp
	"$quell" pacs nodes add web "http://127.0.0.1:$http/dicom-web" --sign-in basic --secret "file:$work/secret" >/dev/null
	"$quell" pacs nodes add node "$aet@127.0.0.1:$dicom" --from "$me" >/dev/null
	for protocol in web node; do
		stop_pacs
		start_pacs again
		"$quell" pacs echo "$protocol" >/dev/null || fail "$protocol does not answer"
		"$quell" pacs send "$protocol" "$all" >"$work/log" 2>&1 || fail "$protocol: $(cat "$work/log")"
		grep -q 'a search finds 300' "$work/log" || fail "$protocol: $(cat "$work/log")"
		same "series that are found" "$("$quell" pacs search "$protocol" --series --csv "PatientID=$id" | wc -l)" 2
		reference=pacs:$protocol/$study/$series
		begun=$(date +%s%N)
		"$quell" denoise "$reference" "pacs:$protocol" --filter gaussian --dims 2 --engine cpu --log "$work/written/$protocol.log" >"$work/written/$protocol.out" 2>&1 ||
			fail "$protocol: $(cat "$work/written/$protocol.out")"
		took=$((($(date +%s%N) - begun) / 1000000))
		grep -q 'a search finds 300' "$work/written/$protocol.out" || fail "$protocol: $(cat "$work/written/$protocol.out")"
		same "instances after the result was sent" "$(instances)" 600
		"$quell" denoise "$reference" "$work/written/$protocol" --filter gaussian --dims 2 --slices 1:2 --deidentify --report "$work/written/$protocol.html" >"$work/written/$protocol.2.out" 2>&1 ||
			fail "$protocol: $(cat "$work/written/$protocol.2.out")"
		"$quell" pacs get "${reference#pacs:}" "$work/back" >/dev/null 2>&1 || fail "$protocol: the series cannot be retrieved"
		same "files that were retrieved" "$(find "$work/back" -type f | wc -l)" 300
		rm -r "$work/back"
		same "what is left in the folder for temporary files" "$(find "$tmp" -mindepth 1 | wc -l)" 0
		ok "$protocol: 300 slices found, retrieved, filtered, stored and verified in $took ms"
	done
	if grep -rlaiE "PLANTED|$secret" "$work/written" "$XDG_CONFIG_HOME" >"$work/log"; then
		fail "the patient or the secret is in $(cat "$work/log")"
	fi
	ok "neither the patient nor the secret is in logs, outputs without identity, records, reports or places"
	unset TMPDIR
}

# complaints FILE... prints the errors that dciodvfy finds in files, each once.
complaints() {
	local f
	for f in "$@"; do dciodvfy "$f" 2>&1 || true; done | sed -n '/^Error/p' | sort -u
}

# attachments sends a result with its maps and its report by each protocol to the places of through, retrieves all of
# it, and compares the report with what quell printed.
attachments() {
	local protocol options dir f uid study text
	complaints assets/series/*.dcm >"$work/had"
	for protocol in web node; do
		stop_pacs
		start_pacs again
		dir=$work/attached-$protocol
		options=(--filter nlm --h 1sigma)
		[ "$protocol" = web ] || options=(--filter gaussian)
		"$quell" denoise assets/series "$dir" --dims 2 "${options[@]}" --engine cpu --attach maps,measurements --json >"$work/printed.json" 2>"$work/log" ||
			fail "attachments: $(cat "$work/log")"
		complaints "$dir"/*.dcm >"$work/has"
		same "new errors for dciodvfy" "$(comm -13 "$work/had" "$work/has")" ""
		text=$(dsrdump "$dir/SR00001.dcm" 2>&1) || fail "dsrdump reads no report: $text"
		for f in 'Enhanced SR Document' '"Imaging Measurement Report"' 'Image noise' 'Contrast kept' 'Verdict on the result' 'Algorithm Name'; do
			grep -q "$f" <<<"$text" || fail "dsrdump finds no \"$f\""
		done

		"$quell" pacs send "$protocol" "$dir" >"$work/log" 2>&1 || fail "$protocol: $(cat "$work/log")"
		study=$(value "$dir/SR00001.dcm" StudyInstanceUID)
		same "instances of a result with attachments" "$(instances)" "$(find "$dir" -name '*.dcm' | wc -l)"
		same "series of it" "$("$quell" pacs search "$protocol" --series --csv --study "$study" | tail -n +2 | wc -l)" 4 # images, two maps, a report
		rm -rf "$work/back" && mkdir "$work/back"
		if [ "$protocol" = web ]; then
			for uid in $(for f in "$dir"/*.dcm; do value "$f" SeriesInstanceUID; done | sort -u); do
				"$quell" pacs get "web/$study/$uid" "$work/one" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
				for f in "$work/one"/*; do mv "$f" "$work/back/$(value "$f" SOPInstanceUID)"; done
				rm -r "$work/one"
			done
		else
			movescu -q -S -aet "$me" -aec "$aet" -aem "$me" +P "$back" +xe -od "$work/back" \
				-k QueryRetrieveLevel=STUDY -k "StudyInstanceUID=$study" 127.0.0.1 "$dicom"
		fi
		compare "$dir" "$work/back"
		text=$("$python" scripts/pacs-report.py assets/series "$work/back" "$work/printed.json" "$("$quell" version | sed 's/.* //')" 2>&1) || fail "$protocol: $text"
		ok "$protocol: maps and measurements stored, found and retrieved byte for byte; pydicom reads what quell printed: $text"
	done
}

# serve lets a node receive the bundled series and send the result to the PACS, whose storage commitment ends the task.
serve() {
	local node i
	cat >"$work/node.json" <<-JSON
		{"folder": "$work/node", "ae_title": "$me", "listen": "127.0.0.1:$back", "idle_timeout": "1s", "rules": [
		 {"name": "all", "do": {"filter": "gaussian"}, "to": {"to": "$aet@127.0.0.1:$dicom", "commit": true}}]}
	JSON
	"$quell" serve "$work/node.json" >"$work/serve.log" 2>&1 &
	node=$!
	for i in $(seq 100); do
		taken "$back" && break
		sleep 0.1
	done
	"$quell" send --to "$me@127.0.0.1:$back" --from CT1 assets/series >/dev/null || { kill "$node"; fail "the node takes no series"; }
	for i in $(seq 300); do
		"$quell" serve status "$work/node.json" >"$work/log" 2>&1 && grep -q ' sent ' "$work/log" && break
		sleep 0.2
	done
	kill -INT "$node"
	wait "$node" || true # it was interrupted
	grep -q ' sent ' "$work/log" || fail "the result was not sent: $(cat "$work/log" "$work/serve.log")"
	grep -q '"event":"committed"' "$work/node/audit.log" || fail "the PACS did not commit itself: $(cat "$work/node/audit.log")"
	same "instances in the PACS" "$(instances)" "$(find assets/series -name '*.dcm' | wc -l)"
	ok "quell serve: a series received, filtered and sent; the PACS reports storage commitment"
}

for folder in "${folders[@]}"; do
	# Two folders may hold the same series in two forms: each is sent to a new PACS.
	start_pacs
	"$quell" send --echo --to "$aet@127.0.0.1:$dicom" --from "$me" >/dev/null || fail "the PACS does not answer an echo"
	if "$quell" send --echo --to "WRONG@127.0.0.1:$dicom" --from "$me" 2>"$work/log" || ! grep -q 'WRONG is not known' "$work/log"; then
		fail "a wrong AE title: $(cat "$work/log")"
	fi
	for n in $("$quell" info "$folder" 2>/dev/null | sed -n 's/^series \([0-9]*\).*/\1/p'); do
		[ "$folder" != "$work/dynamic" ] || break # each volume is the bundled series
		check "$folder" "$n" "$(basename "$folder") $n"
	done
	if "$quell" info "$folder" 2>/dev/null | grep -q 'volumes of this grid'; then
		check "$folder" all "$(basename "$folder"), all volumes as one series"
	fi
	stop_pacs
done
if [ $# -eq 0 ]; then
	start_pacs
	through
	attachments
	stop_pacs
	start_pacs
	serve
	stop_pacs
fi
[ "$checks" -gt 0 ] || fail "no volume could be exported"
echo "pacs: $checks checks passed"
