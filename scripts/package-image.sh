#!/usr/bin/env bash
# Writes an OCI image with the command line alone, without a base and without a network:
#   package-image.sh VERSION PROGRAM FILE.tar
# FILE.tar is an OCI layout, and holds manifest.json besides, by which every docker load takes it, as quell:VERSION and
# quell:latest. SOURCE_DATE_EPOCH dates it; the same program gives the same bytes.
set -euo pipefail
version=$1 program=$2 file=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
blobs=$work/image/blobs/sha256
mkdir -p "$blobs"

# A folder for temporary files, a user without rights, and the authorities by which queue servers are known.
root=$work/root
install -D -m 755 "$program" "$root/usr/bin/quell"
mkdir -p "$root/tmp" "$root/etc/ssl/certs"
printf 'root:x:0:0:root:/:\nquell:x:1000:1000:quell:/tmp:\n' >"$root/etc/passwd"
printf 'root:x:0:\nquell:x:1000:\n' >"$root/etc/group"
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
	install -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
fi
chmod -R u=rwX,go=rX "$root"
chmod 1777 "$root/tmp"

packed() {
	tar -C "$1" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -c "${@:2}"
}

# blob FILE moves a file among the blobs; sum and size are its own afterwards.
blob() {
	sum=$(sha256sum "$1" | cut -d' ' -f1) size=$(stat -c %s "$1")
	mv "$1" "$blobs/$sum"
}

packed "$root" . >"$work/layer"
layer_id=$(sha256sum "$work/layer" | cut -d' ' -f1)
gzip -n9 "$work/layer"
blob "$work/layer.gz"
layer=$sum layer_size=$size

cat >"$work/config" <<JSON
{"created":"$date","architecture":"amd64","os":"linux","config":{"User":"1000:1000","Env":["PATH=/usr/bin","HOME=/tmp"],"Cmd":["quell","--help"],"Labels":{"org.opencontainers.image.title":"Quell","org.opencontainers.image.version":"$version","org.opencontainers.image.licenses":"Apache-2.0","org.opencontainers.image.description":"Removes noise from CT and MR series. Not for clinical use."}},"rootfs":{"type":"layers","diff_ids":["sha256:$layer_id"]},"history":[{"created":"$date","created_by":"scripts/package-image.sh"}]}
JSON
blob "$work/config"
config=$sum config_size=$size

oci=application/vnd.oci.image
cat >"$work/manifest" <<JSON
{"schemaVersion":2,"mediaType":"$oci.manifest.v1+json","config":{"mediaType":"$oci.config.v1+json","digest":"sha256:$config","size":$config_size},"layers":[{"mediaType":"$oci.layer.v1.tar+gzip","digest":"sha256:$layer","size":$layer_size}]}
JSON
blob "$work/manifest"

tag=${version//+/-} # a tag holds no plus sign
cat >"$work/image/index.json" <<JSON
{"schemaVersion":2,"manifests":[{"mediaType":"$oci.manifest.v1+json","digest":"sha256:$sum","size":$size,"annotations":{"org.opencontainers.image.ref.name":"quell:$tag"}}]}
JSON
echo '{"imageLayoutVersion":"1.0.0"}' >"$work/image/oci-layout"
cat >"$work/image/manifest.json" <<JSON
[{"Config":"blobs/sha256/$config","RepoTags":["quell:$tag","quell:latest"],"Layers":["blobs/sha256/$layer"]}]
JSON
packed "$work/image" oci-layout index.json manifest.json blobs >"$file"
