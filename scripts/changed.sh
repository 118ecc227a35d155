#!/usr/bin/env bash
# Prints the files that changed since main, or on main itself by its last commit or merge; QUELL_BASE names another commit,
# which counts where the clone has it. In a clone without history nothing has changed: the full checks are for that.
#   changed.sh [REGEXP]    files whose path matches an extended regular expression
#   changed.sh packages    import paths of the Go packages with a changed file in their folder, or in a folder below it that
#                          is no package
set -euo pipefail
cd "$(dirname "$0")/.."

files() {
	local base
	base=$(git rev-parse -q --verify "${QUELL_BASE:-none}^{commit}" || git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null || true)
	[ -n "$base" ] && [ "$base" != "$(git rev-parse HEAD)" ] || base=HEAD~1
	git diff --name-only "$base" 2>/dev/null || echo "changed: the clone has no commit before this one; no file counts as changed" >&2
}

if [ "${1:-}" != packages ]; then
	files | grep -E "${1:-}" || true
	exit
fi
module=$(sed -n 's/^module //p' go.mod)
files | while read -r file; do
	dir=$(dirname "${file%%/testdata/*}/x")
	while [ "$dir" != . ] && ! compgen -G "$dir/*.go" >/dev/null; do dir=$(dirname "$dir"); done
	[ "$dir" = . ] || [ "${dir#docs/}" != "$dir" ] || echo "$module/$dir"
	case $file in kernels/* | denoise/filter/*) echo "$module/gpu" ;; esac # its suite compares the kernels with the filters
done | sort -u
