#!/bin/bash
# Run the workflows of docs/hosts on two phantoms, by those of Snakemake and Nextflow that are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
quell=$(realpath "${QUELL:-bin/quell}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin" "$dir/cohort"
ln -s "$quell" "$dir/bin/quell"
export PATH=$dir/bin:$PATH
cd "$dir"
for seed in 1 2; do
    quell phantom "cohort/s$seed.nii.gz" --kind mr --snr 20 --seed $seed --dims 48,48,12 >"phantom$seed.txt"
done
if command -v snakemake >/dev/null; then
    snakemake --quiet -s "$root/docs/hosts/Snakefile" --cores 2 --config denoised=snake preset=mr-brain-3d-fast
    [ "$(wc -l <snake/verdicts.tsv)" = 2 ]
    echo "Snakemake: 2 series"
else
    echo "Snakemake is not installed"
fi
if command -v nextflow >/dev/null; then
    nextflow -quiet run "$root/docs/hosts/main.nf" -without-docker --cohort cohort --denoised next --preset mr-brain-3d-fast
    [ -s next/s1.nii.gz ] && [ -s next/s2.json ]
    echo "Nextflow: 2 series"
else
    echo "Nextflow is not installed"
fi
