#!/bin/sh
# A module of 3D Slicer. Copy it, once for each filter that you want, into a folder that Slicer looks for modules in
# (Edit, Application Settings, Modules), under a name that ends in the filter: quell-nlm, quell-odct. quell-denoise takes
# presets, quell-estimate makes noise maps.
name=${0##*-} name=${name%.sh}
[ "$1" != --xml ] || exec quell --xml "$name"
case $name in
estimate) exec quell estimate "$1" --map "$2" ;;
denoise) exec quell denoise --for-slicer "$@" ;;
*) exec quell denoise --for-slicer --filter "$name" "$@" ;;
esac
