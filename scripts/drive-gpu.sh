#!/usr/bin/env bash
# Drives the workbench while its GPU worker is killed and stopped, on a fake driver that needs no GPU: the workbench must
# keep running, offer the CPU, and continue with it when asked. Needs the packages of setup.sh nvcc and setup.sh screen.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/screen.sh
fake=$(mktemp -d)
trap 'screen_stop; rm -rf "$fake"' EXIT
gpu/fakecuda/build.sh "$fake"
export QUELL_GPU_WORKER=$fake/quell-gpu LD_LIBRARY_PATH=$fake QUELL_FAKE_CUDA=slow=200

alive() {
	kill -0 "$screen_app" 2>/dev/null || { cat "$screen_dir/log" >&2; echo "drive-gpu: the workbench ended: $1" >&2; exit 1; }
	echo "drive-gpu: running: $1"
}
worker() { pgrep -f "^$fake/quell-gpu" || true; }

screen_start
[ -n "$(worker)" ] || { echo "drive-gpu: no worker was started" >&2; exit 1; }
alive "with the worker $(worker | head -n 1)"

key ctrl+Return
pkill -KILL -f "^$fake/quell-gpu" || true
sleep 2
alive "after the worker was killed during a run"

pkill -STOP -f "^$fake/quell-gpu" || true
key Down
sleep 1
alive "after the worker was stopped"

# After repeated losses the engine switches itself off: no worker starts for longer than the pause between two starts,
# and the workbench offers the CPU. On a busy machine a worker may start later than that, and no offer is shown: the
# losses go on until the CPU has been offered and taken.
worker_starts() {
	local i
	for i in $(seq 80); do [ -n "$(worker)" ] && return; sleep 0.1; done
	return 1
}
lose_workers() {
	local i
	for i in $(seq 30); do
		pkill -KILL -f "^$fake/quell-gpu" || true
		key ctrl+Return
		worker_starts || return 0
	done
	echo "drive-gpu: the engine starts worker after worker and does not switch itself off" >&2
	return 1
}
# The button is below the text of the offer, whose length depends on the reason: try one height after another.
take_cpu() {
	local y
	settled "$fake/offer.png"
	for y in $(seq 530 10 690); do
		mouse_to $((${screen_size%x*} * 55 / 100)) $((${screen_size#*x} * y / 1000))
		xdotool click 1
		settled "$fake/cpu.png"
		different=$(differ "$fake/offer.png" "$fake/cpu.png")
		[ "$different" -le 100000 ] || return 0
	done
	return 1
}
different=0
for _ in 1 2 3; do
	lose_workers
	take_cpu && break
	echo "drive-gpu: the offer of the CPU was not taken: $different pixels changed; workers: $(worker | wc -l)"
done
[ "$different" -gt 100000 ] || { cat "$screen_dir/log" >&2; echo "drive-gpu: continuing with the CPU changed only $different pixels" >&2; exit 1; }
alive "with the CPU engine: $different pixels changed"

screen_quit
for _ in $(seq 150); do [ -z "$(worker)" ] && break; sleep 0.2; done
[ -z "$(worker)" ] || { echo "drive-gpu: the worker is still running after the workbench has quit" >&2; exit 1; }
echo "drive-gpu: done"
