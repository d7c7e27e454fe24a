"""Reads docs/clusters/kubernetes.yaml by the schemas of Kubernetes' API, oldest and newest that are meant, and skypilot.yaml by
SkyPilot itself. Ends with an error where one does not fit."""

import sys
from pathlib import Path

import kubernetes_validate
import sky
import yaml

folder = Path(sys.argv[1])
for manifest in yaml.safe_load_all((folder / "kubernetes.yaml").read_text()):
    for version in ("1.27", kubernetes_validate.latest_version()):
        kubernetes_validate.validate(manifest, version, strict=True)
        print(f"kubernetes.yaml: {manifest['kind']} fits Kubernetes {version}")
task = yaml.safe_load((folder / "skypilot.yaml").read_text())
read = sky.Task.from_yaml_config(task, secrets_overrides=dict.fromkeys(task["secrets"], "some"))
print(f"skypilot.yaml: a task of {read.num_nodes} nodes")
