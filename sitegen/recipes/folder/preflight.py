"""What the script looks at before it changes anything: programs, disk, ports, driver, GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.catalog.domain.hardware import Vendor
from sitegen.recipes.drivers import MINIMUM_DRIVER
from sitegen.recipes.files import conversion_bytes
from sitegen.recipes.folder.machines import Machines
from sitegen.recipes.folder.stages import Stage, staged
from sitegen.recipes.recipe import Language, Phase, Recipe
from sitegen.recipes.target import Target
from sitegen.units import MIB

OUTSIDE = (
    "brew", "cmake", "curl", "docker", "git", "hipconfig", "ibstat", "ip", "jq", "kubectl",
    "mpirun", "nginx", "npm", "ping", "python3", "rustup", "ssh", "uv",
)  # fmt: skip
"""Programs that no step installs, as far as steps call them."""
SHARE_PERCENT = 95
"""Share of the catalog's memory that a driver may show at least: it keeps some for itself."""
DISK_MARGIN_PERCENT = 2


def needed_programs(recipe: Recipe) -> list[str]:
    """List the programs that steps call and none installs.

    A program that an earlier step brings along is not missed: brew brings uv, npm and rustup.
    """
    text = "\n".join(
        step.text
        for _, stage, step in staged(recipe)
        if step.language is Language.BASH and stage is not Stage.STOP
    )
    brought = set(re.findall(r"\w+", " ".join(re.findall(r"^brew install (.*)$", text, re.M))))
    brought |= {"rustup", "npm"} if "brew install uv node rustup" in text else set()
    return [one for one in OUTSIDE if one not in brought and _called(one, text)]


def _called(program: str, text: str) -> bool:
    start = r"(?:^[ \t]*|[|;&(][ \t]*|sudo )"
    return bool(re.search(rf"{start}{program}(?= |$)", text, re.MULTILINE))


def disk_bytes(recipe: Recipe) -> int:
    """Sum what the files of all models need on the disk, while they are made or copied."""
    total = recipe.store_bytes
    for assessment in (recipe.assessment, *recipe.beside):
        target = Target.of(assessment)
        if target is None:
            continue
        total += assessment.download_bytes if target.repository else conversion_bytes(target)
    return total * (100 + DISK_MARGIN_PERCENT) // 100


def ports_of(recipe: Recipe, machines: Machines, node: int) -> list[str]:
    """List the ports that have to be free on a machine, counted from 1."""
    found: dict[str, None] = {}
    for _, stage, step in staged(recipe):
        if stage is Stage.START and node in machines.of_step(step):
            for address in step.answers:
                found[address.partition("/")[0].rpartition(":")[2]] = None
            if step.file:
                found |= dict.fromkeys(re.findall(r"listen [\d.]+:(\d+);", step.text))
    return list(found)


def checks(recipe: Recipe, machines: Machines) -> Iterator[str]:
    """Write the body of the check, one line each."""
    for program in needed_programs(recipe):
        yield f"need {program} || :"
    disk = disk_bytes(recipe)
    yield f"disk {disk // 1000}"
    if any("hf auth" in step.text for step in recipe.steps):
        yield "token"
    yield "case $AT in"
    for node in range(1, machines.total + 1):
        yield f"  {node})"
        for line in _of_machine(recipe, machines, node):
            yield f"    {line}"
        yield "    ;;"
    yield '  *) wrong "NODE is $NODE, but there are only ' + f'{machines.total} machines" ;;'
    yield "esac"


def _of_machine(recipe: Recipe, machines: Machines, node: int) -> Iterator[str]:
    yield from (f"free_port {port}" for port in ports_of(recipe, machines, node))
    if not machines.used[node - 1]:
        return
    if any("kubectl" in step.text for step in recipe.steps):
        return  # pods find their GPUs
    sizes = " ".join(map(str, machines.megabytes(node - 1)))
    vendor = machines.vendor(node - 1)
    if vendor is Vendor.NVIDIA:
        driver = MINIMUM_DRIVER.get(recipe.reads)
        if driver:
            yield f"nvidia_driver {driver}"
        yield f"gpus_of nvidia {sizes}"
    elif vendor is Vendor.AMD and machines.own_memory(node - 1):
        yield f"gpus_of amd {sizes}"
    elif vendor is Vendor.AMD:
        if not any(step.phase is Phase.LIMIT for step in recipe.steps):
            yield f"gtt {_needed_mib(recipe)}"
    elif vendor is Vendor.INTEL:
        oneapi = any("setvars.sh" in step.text for step in recipe.steps)
        count = "count_sycl" if oneapi else "count_intel"
        yield f"{count} {len(machines.megabytes(node - 1))}"
    elif vendor is Vendor.APPLE:
        yield f"mac_memory {sum(one.installed_bytes for one in machines.nodes[node - 1].gpus)}"


def _needed_mib(recipe: Recipe) -> int:
    """Say what the fullest GPU holds, in MiB: shared memory is given in two parts."""
    return int(max(one.need.mid for one in recipe.assessment.ledger)) // MIB


FUNCTIONS = r"""
wrong() {  # report a problem; with CHECK=warn, continue anyway
  echo "check: $*" >&2
  FAULTS=$((FAULTS + 1))
}

need() {  # fail if a program is missing
  command -v "$1" > /dev/null && return
  wrong "program not found: $1"
  return 1
}

disk() {  # kilobytes that the files need
  local place=${HF_HOME:-$HOME}
  case ${MODEL:-} in /*) place=$(dirname "$MODEL") ;; esac
  while [ ! -d "$place" ]; do place=$(dirname "$place"); done
  local free
  free=$(df -Pk "$place" | awk 'NR == 2 { print $4 }')
  [ $((free * 1024 / 1000)) -ge "$1" ] && return
  [ -e "$STATE/done/files" ] && return
  wrong "$place has $((free / 976563)) GB free, but the files need $(($1 / 1000000)) GB"
}

token() {  # some licenses require an account
  [ -n "${HF_TOKEN:-}" ] && return
  [ -e "${HF_HOME:-$HOME/.cache/huggingface}/token" ] && return
  echo "check: HF_TOKEN is not set, so Hugging Face will ask you to log in"
}

free_port() {
  if [ -e "$STATE/running" ]; then return; fi
  if (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; then
    wrong "port $1 is already in use"
  fi
}

nvidia_driver() {
  command -v nvidia-smi > /dev/null || return 0
  local version
  version=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
  [ "${version%%.*}" -ge "$1" ] 2> /dev/null ||
    wrong "the driver is $version, but $1 or newer is needed"
}

gpus_of() {  # vendor, then the memory of each GPU in MiB, largest first
  local vendor=$1 seen
  shift
  if [ "$vendor" = nvidia ]; then
    need nvidia-smi || return 0
    seen=$(nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits | sort -rn)
  else
    need rocm-smi || return 0
    seen=$(rocm-smi --showmeminfo vram --csv |
      awk -F, '/^card/ { print int($2 / 1048576) }' | sort -rn)
  fi
  # shellcheck disable=SC2086 # one word for each GPU
  set -- "$#" "$@" $seen
  local wanted=$1 at
  shift
  if [ $(($# - wanted)) -lt "$wanted" ]; then
    wrong "the machine shows $(($# - wanted)) GPUs, but the plan needs $wanted"
    return
  fi
  for at in $(seq "$wanted"); do
    local should=${!at} place=$((wanted + at))
    case ${!place} in *[!0-9]*) continue ;; esac # unified memory
    if [ $((${!place} * 100)) -lt $((should * SHARE)) ]; then
      wrong "a GPU has ${!place} MiB, but the plan expects $should MiB"
    fi
  done
}

gtt() {  # memory that the GPU must be able to use, in MiB
  local reach=0 file
  for file in "${SYSFS:-/sys}"/class/drm/card*/device/mem_info_{gtt,vram}_total; do
    if [ -r "$file" ]; then reach=$((reach + $(cat "$file") / 1048576)); fi
  done
  [ "$reach" -ge "$1" ] ||
    wrong "the GPU can use $reach MiB, but the plan needs $1 MiB: raise the GTT limit"
}

count_intel() {  # as the kernel lists them, without any of Intel's programs
  local seen
  seen=$(
    cat "${SYSFS:-/sys}"/class/drm/renderD*/device/vendor 2> /dev/null |
      grep -c 0x8086 || true
  )
  [ "$seen" -ge "$1" ] || wrong "the machine shows $seen GPUs, but the plan needs $1"
}

count_sycl() {
  local setvars=${ONEAPI_ROOT:-/opt/intel/oneapi}/setvars.sh seen
  [ -r "$setvars" ] || need sycl-ls || return 0
  # shellcheck disable=SC1090 # Intel's file, which finds sycl-ls
  seen=$(
    command -v sycl-ls > /dev/null || . "$setvars" > /dev/null
    sycl-ls | grep -c 'level_zero:gpu' || true
  )
  [ "$seen" -ge "$1" ] || wrong "the machine shows $seen GPUs, but the plan needs $1"
}

mac_memory() {
  local seen
  seen=$(sysctl -n hw.memsize)
  [ "$seen" -ge "$1" ] || wrong "the Mac has $seen bytes of memory, but the plan needs $1"
}
"""
