"""`prefect.yaml` and the template of Kubernetes jobs: what they name is there."""

import inspect
import json
import re
import shutil
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.dispatch import dispatch_corpus
from flows.process import process_corpus

ROOT = Path(__file__).parents[2]
DEPLOYMENTS = {each["name"]: each for each in yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]}
TEMPLATE = json.loads((ROOT / "deploy" / "kubernetes-job.json").read_text())


@pytest.mark.parametrize("deployment", DEPLOYMENTS.values(), ids=DEPLOYMENTS)
def test_a_deployment_names_what_there_is(deployment: dict[str, Any]) -> None:
    module, _, name = deployment["entrypoint"].rpartition(".")
    flow = getattr(import_module(module), name)
    assert flow in (process_corpus, dispatch_corpus)
    assert set(deployment["parameters"]) <= set(inspect.signature(flow.fn).parameters)
    for step in deployment["build"]:
        ((path, options),) = step.items()
        module, _, name = path.rpartition(".")
        inspect.signature(getattr(import_module(module), name)).bind(**options)
    assert not any(schedule["active"] for schedule in deployment["schedules"]), "nothing begins unasked"


def test_every_variable_of_the_job_can_be_set_and_is_used() -> None:
    used = set(re.findall(r"\{\{ (\w+) \}\}", json.dumps(TEMPLATE["job_configuration"])))
    assert used == set(TEMPLATE["variables"]["properties"])
    assert set(DEPLOYMENTS["cluster"]["work_pool"]["job_variables"]) <= used


def test_what_the_job_mounts_the_cluster_has() -> None:
    defaults = {name: each.get("default") for name, each in TEMPLATE["variables"]["properties"].items()}
    manifests = list(yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text()))
    claims = {each["metadata"]["name"] for each in manifests if each["kind"] == "PersistentVolumeClaim"}
    assert {defaults[f"{what}_claim"] for what in ("corpus", "runs", "weights")} == claims
    assert {each["metadata"].get("namespace", defaults["namespace"]) for each in manifests} == {defaults["namespace"]}
    folders = {mount["mountPath"] for mount in _container()["volumeMounts"]}
    parameters = DEPLOYMENTS["cluster"]["parameters"]
    assert parameters["folder"] in folders
    assert str(Path(parameters["out"]).parent) in folders


def _container() -> dict[str, Any]:
    container: dict[str, Any] = TEMPLATE["job_configuration"]["job_manifest"]["spec"]["template"]["spec"]["containers"][
        0
    ]
    return container


def test_containers_are_started_again_and_have_time_to_stop() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    lasting = {name: each for name, each in services.items() if name != "weights"}  # that one ends
    assert {each["restart"] for each in lasting.values()} == {"unless-stopped"}
    assert all(int(each["stop_grace_period"].removesuffix("s")) >= 20 for each in lasting.values())


def test_the_health_check_of_the_image_neither_imports_rostrum_nor_asks_the_server() -> None:
    (check,) = re.findall(r"^HEALTHCHECK .*CMD (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert json.loads(check)[0] == "test"


def test_the_image_gets_every_file_that_the_package_is_made_from() -> None:
    copied = {
        name
        for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for name in line.split()[1:-1]
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = {pattern.rstrip("*") for pattern in project["tool"]["setuptools"]["packages"]["find"]["include"]}
    modules = {f"{name}.py" for name in project["tool"]["setuptools"]["py-modules"]}
    needed = {*project["project"]["license-files"], project["project"]["readme"], *packages, *modules, "pyproject.toml"}
    assert needed <= copied
    let_through = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert {f"!{name}" for name in copied} <= {*let_through}


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed")
def test_the_dockerfile_has_no_lint() -> None:
    found = subprocess.run(["hadolint", str(ROOT / "Dockerfile")], capture_output=True, text=True)
    assert found.stdout == ""
