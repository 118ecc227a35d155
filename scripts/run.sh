#!/usr/bin/env bash
# Opens the workbench on the bundled series. Without a display, does the same work on the command line: denoises the
# bundled CT, exports it as DICOM and NIfTI, and draws before, after and residual, into out/.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -x bin/quell ] || echo "run: building the command line; the first time takes about 95 seconds of processor time"
make --no-print-directory cli worker
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
	[ -x bin/quell-workbench ] || echo "run: building the workbench; the first time takes a few minutes"
	make --no-print-directory workbench
	exec bin/quell-workbench "$@"
fi

out=out
rm -rf "$out/denoised" "$out/denoised.recipe.json" "$out/denoised.nii.gz" "$out/denoised.nii.gz.recipe.json" "$out/pictures"
mkdir -p "$out"
echo "run: no display; denoising the bundled CT series on the command line with non-local means in 3-D"
bin/quell denoise assets/series "$out/denoised" --filter nlm --dims 3 --pictures "$out/pictures"
# The result has the findings of the source, of which denoise has warned.
known=$(bin/quell info assets/series)
bin/quell convert "$out/denoised" "$out/denoised.nii.gz" 2> >(
	while IFS= read -r line; do
		[[ $known == *"${line#quell: warning: }"* ]] || printf '%s\n' "$line" >&2
	done
)
cat <<TEXT

run: done. The results:
  $out/denoised/             the denoised series as DICOM, ready for a PACS
  $out/denoised.nii.gz       the same as NIfTI
  $out/denoised.recipe.json  filter and parameters, to repeat the run
  $out/pictures/             before.png, after.png, residual.png of the middle slice
TEXT
