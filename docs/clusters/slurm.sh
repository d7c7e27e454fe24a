#!/bin/bash
# Two ranks on two nodes that share this folder: sbatch slurm.sh
#SBATCH --job-name=verisim
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --requeue
export VERISIM_CLUSTER_KEY="$(openssl rand -hex 32)"
srun verisim train --data_path book.txt --out_dir out --cluster_network private
