#!/bin/bash
# Four workers with a GPU each for a batch that is listed elsewhere, by a NATS server (2.10 or later) with a token:
#   export QUELL_NATS_TOKEN=...
#   nats-server --jetstream --auth "$QUELL_NATS_TOKEN"
#   quell batch /data/cohort /data/denoised --preset mr-brain-3d --engine cuda --nats nats://head:4222
#   sbatch slurm-workers.sh
# Workers do what they find in the queue as you, so nobody else may write there. They end when no series is left. One
# that is preempted gives its series back.
#SBATCH --job-name=quell-worker
#SBATCH --array=1-4
#SBATCH --gpus-per-task=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=64G
# B: the signal goes to the batch shell, which exec makes quell.
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
set -euo pipefail
: "${QUELL_NATS_TOKEN:?set it to the token of the NATS server}"
export GOMAXPROCS=$SLURM_CPUS_PER_TASK
exec quell worker --nats nats://head:4222 --drain --memory 56GB
