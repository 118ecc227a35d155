#!/bin/bash
# A batch in 16 parts as a Slurm array, without a server: sbatch slurm-shards.sh
# Parts that failed or were cut short are done by submitting it again.
#SBATCH --job-name=quell
#SBATCH --array=1-16%8
#SBATCH --cpus-per-task=8
#SBATCH --mem=32G
#SBATCH --time=04:00:00
# B: the signal goes to the batch shell, which exec makes quell.
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
set -euo pipefail
export GOMAXPROCS=$SLURM_CPUS_PER_TASK
exec quell batch /data/cohort /data/denoised --preset mr-brain-3d --shard "$SLURM_ARRAY_TASK_ID/16" --memory 28GB
