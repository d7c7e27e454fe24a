#!/bin/bash
# Two ranks on two nodes that share this folder: sbatch slurm.sh
# Anyone who can reach the nodes' network can connect to the ranks: use exclusive nodes on a network that you trust.
#SBATCH --job-name=verisim
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --requeue
srun verisim train --data_path book.txt --out_dir out --cluster_network trusted
