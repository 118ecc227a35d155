#!/bin/sh
# Builds openjpeg.wasm from Debian's source package. It needs the packages
# clang-19 lld-19 libclang-rt-19-dev-wasm32 wasi-libc binaryen dpkg-dev, and a
# deb-src line for Debian 12. The build is reproducible: MANIFEST has its checksum.
#
#     build.sh [openjpeg2.dsc]    the source package, if it is already downloaded
set -eu

package=openjpeg2
version=2.5.0-2+deb12u3
here=$(cd "$(dirname "$0")" && pwd)
dsc=${1:+$(realpath "$1")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
if [ -z "$dsc" ]; then
    apt-get source --download-only "$package=$version" >&2
    dsc=${package}_$version.dsc
fi
dpkg-source -x "$dsc" source >&2
lib=source/src/lib/openjp2

cat > "$lib/opj_config.h" <<CONFIG
#define OPJ_HAVE_STDINT_H 1
#define OPJ_VERSION_MAJOR 2
#define OPJ_VERSION_MINOR 5
#define OPJ_VERSION_BUILD 0
CONFIG
cat > "$lib/opj_config_private.h" <<CONFIG
#define OPJ_HAVE_INTTYPES_H 1
#define OPJ_PACKAGE_VERSION "2.5.0"
#define OPJ_HAVE_POSIX_MEMALIGN
#define _POSIX_C_SOURCE 200112L
CONFIG

compile() { # compile FILE FLAG...: one of OpenJPEG's files to an object
    file=$1
    shift
    clang-19 --target=wasm32-wasi -msimd128 -DNDEBUG -DOPJ_STATIC -Wno-everything \
        -ffile-prefix-map="$work"=. -I"$lib" "$@" -c "$file" -o "$(basename "$file" .c).o"
}
# Files that compute are optimised for speed, with a step per function; files that read
# the stream are optimised for size, with a step per branch.
for f in dwt ht_dec mct mqc t1; do
    compile "$lib/$f.c" -O3 -fsanitize-coverage=func,trace-pc
done
for f in bio cio event function_list image invert j2k jp2 openjpeg opj_malloc pi \
    sparse_array t2 tcd tgt thread; do
    compile "$lib/$f.c" -Os -fsanitize-coverage=edge,trace-pc
done
compile "$here/sandbox.c" -Os
clang-19 --target=wasm32-wasi -mexec-model=reactor \
    -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=1048576 ./*.o -o linked.wasm
wasm-opt -Os --enable-simd --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
    --enable-nontrapping-float-to-int --strip-debug --strip-producers linked.wasm -o "$here/openjpeg.wasm"
{
    cat source/LICENSE
    printf '\nht_dec.c:\n\n'
    sed '/^\/\//!q' "$lib/ht_dec.c"
} > "$here/LICENSE.openjpeg"
cp /usr/share/doc/wasi-libc/copyright "$here/LICENSE.wasi-libc"
(cd "$here" && sha256sum openjpeg.wasm)
