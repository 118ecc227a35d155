#!/bin/bash
# Four workers with a GPU each for a batch that is listed elsewhere: sbatch slurm-workers.sh
#   quell batch /data/cohort /data/quiet --preset mr-brain-3d --engine cuda --nats nats://head:4222
# Workers end when no series is left. One that is preempted gives its series back.
#SBATCH --job-name=quell-worker
#SBATCH --array=1-4
#SBATCH --gpus-per-task=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=64G
#SBATCH --signal=TERM@60
set -euo pipefail
exec quell worker --nats nats://head:4222 --drain --memory 56GB
