"""Starts one rank on each of some machines of a Ray cluster, and ends with the code of one that failed, where one did:

    ray job submit --working-dir . -- python ray_ranks.py 2 \\
        verisim train --data_path book.txt --out_dir out --cluster_network private

VERISIM_CLUSTER_KEY is made here, where it is not set, and given to all.
"""

import os
import secrets
import subprocess
import sys

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

size, command = int(sys.argv[1]), sys.argv[2:]
ray.init()
group = placement_group([{"CPU": 1}] * size, strategy="SPREAD")
ray.get(group.ready())


def on(rank):
    return PlacementGroupSchedulingStrategy(placement_group=group, placement_group_bundle_index=rank)


@ray.remote(num_cpus=1)
def address():
    return ray.util.get_node_ip_address()


@ray.remote(num_cpus=1, max_retries=0)
def start(variables):
    return subprocess.run(command, env={**os.environ, **variables}).returncode


shared = {
    "WORLD_SIZE": str(size),
    "MASTER_ADDR": ray.get(address.options(scheduling_strategy=on(0)).remote()),
    "VERISIM_CLUSTER_KEY": os.environ.get("VERISIM_CLUSTER_KEY") or secrets.token_hex(32),
}
ranks = [start.options(scheduling_strategy=on(rank)).remote({**shared, "RANK": str(rank)}) for rank in range(size)]
sys.exit(max(ray.get(ranks), key=abs))
