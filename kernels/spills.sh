#!/bin/sh
# Lists the innermost loops of the kernels, as compiled for compute capability 8.0 and 9.0 or ARCHS,
# that access local memory, as registers spill or arrays are indexed: the code, the kernel, the loop's
# address, its instructions, its powers of two and its accesses to local memory. Loops of
# weights have as many powers of two as they process pairs at once. It needs cuobjdump of
# the CUDA toolkit.
#
#   [ARCHS="sm_75 sm_86"] spills.sh [FATBIN...]      all that ship by default
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- *.fatbin
for arch in ${ARCHS:-sm_80 sm_90}; do
  for module; do
    cuobjdump -sass -arch "$arch" "$module" | awk -v arch="$arch" '
        function list(   i, j, powers, local) {
            for (i = 1; i <= loops; i++) {
                for (j = 1; j <= loops; j++)
                    if (i != j && start[from[i]] <= start[from[j]] && to[j] <= to[i]) break
                if (j <= loops) continue # another loop is in it
                powers = local = n = 0
                for (j = start[from[i]]; j <= to[i]; j++) {
                    n++
                    powers += op[j] ~ /^MUFU.EX2/
                    local += op[j] ~ /^(LDL|STL)/
                }
                if (local > 0) printf "%s: %s at %s: %d instructions, %d powers of two, %d of local memory\n", arch, kernel, from[i], n, powers, local
            }
        }
        /Function :/ { list(); kernel = $3; count = loops = 0; split("", start) }
        $1 ~ /^\/\*[0-9a-f][0-9a-f][0-9a-f][0-9a-f]+\*\/$/ {
            at = substr($1, 3, length($1) - 4)
            sub(/^0+/, "", at)
            count++
            start[at == "" ? "0" : at] = count
            op[count] = $2 ~ /^@/ ? $3 : $2
            if (op[count] ~ /^BRA/ && match($0, /0x[0-9a-f]+ ?;/)) {
                target = substr($0, RSTART + 2, RLENGTH - 2)
                sub(/ ?;/, "", target)
                if (target in start) { # backwards
                    from[++loops] = target
                    to[loops] = count
                }
            }
        }
        END { list() }'
  done
done
