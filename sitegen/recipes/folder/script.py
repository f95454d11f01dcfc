"""The script of a folder: ``run.sh``, which does what the printed steps say, and looks first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sitegen.recipes.folder.machines import Machines
from sitegen.recipes.folder.preflight import FUNCTIONS, SHARE_PERCENT, checks
from sitegen.recipes.folder.settings import KEY, variables
from sitegen.recipes.folder.stages import Stage, placed, staged
from sitegen.recipes.recipe import Language, Recipe, RecipeStep

SCRIPT = "run.sh"
HEAD = r"""#!/usr/bin/env bash
# @TITLE@
#
#   ./run.sh          do everything: check, install, files, start, ask
#   ./run.sh check    check whether it can run here, and change nothing
#   ./run.sh stop     stop everything that was started
#   @NODES@
#
# It reads settings from .env in this folder. Environment variables override them.
set -eo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
STATE=$HERE/state
FAULTS=0
SHARE=@SHARE@ # least memory that a GPU must show, in percent of the plan's
NODE=${NODE:-1}
AT=$(((NODE - 1) % @PERIOD@ + 1))
WAIT_S=${WAIT_S:-3600}

settings() {  # environment variables override the file
  local name value
  while IFS='=' read -r name value; do
    case $name in '' | '#'*) continue ;; esac
    case $value in '$HOME'/*) value=$HOME/${value#*/} ;; esac
    if [ -z "${!name+set}" ] || [ -z "${!name}" ]; then export "$name=$value"; fi
  done < "$HERE/.env"
}
@SECRET@
say() { printf '\n== %s\n' "$*"; }

fail() {
  echo "run.sh: $*" >&2
  exit 1
}

place() {  # copy a file of this folder to the working folder
  if [ "$PWD" != "$HERE" ]; then cp "$HERE/$1" .; fi
}

once() {  # run a step unless it has already worked
  local name=$1
  if [ -e "$STATE/done/$name" ]; then return; fi
  "$name"
  touch "$STATE/done/$name"
}

remember() {  # save the working folder and the Python environment
  pwd > "$STATE/folder"
  echo "${VIRTUAL_ENV:-}" > "$STATE/environment"
}

enter() {
  local environment=
  cd "$HERE"
  if [ -e "$STATE/folder" ]; then
    cd "$(cat "$STATE/folder")"
    environment=$(cat "$STATE/environment")
  fi
  if [ -n "$environment" ]; then
    . "$environment/bin/activate"
  fi
}

alive() { [ -e "$STATE/$1.pid" ] && kill -0 "$(cat "$STATE/$1.pid")" 2> /dev/null; }

keep() {  # start a step in the background, in its own process group
  if alive "$1"; then
    echo "$1 is already running"
    return
  fi
  set -m
  (
    "$1"
    wait
  ) > "$STATE/logs/$1.log" 2>&1 < /dev/null &
  echo $! > "$STATE/$1.pid"
  set +m
  echo "log: $STATE/logs/$1.log"
}

answers() {
  case $1 in
    */*) curl -fsS -o /dev/null "http://$1" 2> /dev/null ;;
    *) (exec 3<> "/dev/tcp/${1%:*}/${1##*:}") 2> /dev/null ;;
  esac
}

wait_for() {  # wait until the step responds at each of these addresses
  local name=$1 waited address
  shift
  for address in "$@"; do
    waited=0
    until answers "$address"; do
      if ! alive "$name"; then
        tail -n 30 "$STATE/logs/$name.log" >&2
        fail "the server stopped before it responded; see the end of its log above"
      fi
      if [ "$waited" -ge "$WAIT_S" ]; then fail "no response at $address after $WAIT_S s"; fi
      sleep 1
      waited=$((waited + 1))
    done
    echo "ready: $address"
  done
}

end() {  # stop a process group that keep started
  local name=$1 number tries=0
  if alive "$name"; then
    number=$(cat "$STATE/$name.pid")
    kill -TERM -- "-$number" 2> /dev/null || true
    while kill -0 -- "-$number" 2> /dev/null; do
      tries=$((tries + 1))
      if [ "$tries" -gt 60 ]; then kill -KILL -- "-$number" 2> /dev/null || true; fi
      sleep 1
    done
  fi
  rm -f "$STATE/$name.pid"
}
"""
MAKE_KEY = r"""
secret() {  # create a key once, and save it in .env
  if [ -n "${API_KEY:-}" ]; then return; fi
  API_KEY=$(od -An -N 24 -tx1 /dev/urandom | tr -d ' \n')
  export API_KEY
  (
    umask 077
    grep -v '^API_KEY=' "$HERE/.env" > "$HERE/.env.new"
    echo "API_KEY=$API_KEY" >> "$HERE/.env.new"
    mv "$HERE/.env.new" "$HERE/.env"
  )
}
"""
TAIL = r"""
start_all() {
  enter
@START@
  touch "$STATE/running"
}

stop_all() {
  enter
@STOP@
  rm -f "$STATE/running"
}

check_all() {
  FAULTS=0
  check
  if [ "$FAULTS" -eq 0 ]; then
    echo "check: no problems found"
  elif [ "${CHECK:-}" != warn ]; then
    fail "problems found: $FAULTS (to continue anyway, set CHECK=warn)"
  fi
}

install_all() {
  cd "$HERE"
@INSTALL@
  remember
}

files_all() {
  enter
@FILES@
  touch "$STATE/done/files"
}

ask_all() {
  enter
@ASK@
}

settings
mkdir -p "$STATE/done" "$STATE/logs"
case ${1:-all} in
  all)
    check_all
    @SECRET_CALL@
    [ -e "$STATE/folder" ] || install_all
    files_all
    start_all
    ask_all
    say "The server is running. To stop it, run ./run.sh stop"
    ;;
  check) check_all ;;
  install) install_all ;;
  files) files_all ;;
  start)
    @SECRET_CALL@
    start_all
    ;;
  ask) ask_all ;;
  stop) stop_all ;;
  *) fail "unknown command; use check, install, files, start, ask or stop" ;;
esac
"""


def script(recipe: Recipe, machines: Machines, title: str) -> str:
    """Write the script: a function for each step, under the number that the printed recipe has."""
    steps = staged(recipe)
    secret = KEY in variables(recipe)
    several = f"NODE=2 ./run.sh   on the second of {machines.total} machines"
    replaced = {
        "@TITLE@": title,
        "@NODES@": several if machines.total > 1 else "WAIT_S=600 ./run.sh   wait at most 600 s",
        "@SHARE@": str(SHARE_PERCENT),
        "@PERIOD@": str(machines.span if machines.repeats else max(machines.total, 1)),
        "@SECRET@": MAKE_KEY if secret else "",
        "@SECRET_CALL@": "secret" if secret else ":",
        "@INSTALL@": "\n".join(_calls(steps, machines, Stage.INSTALL)),
        "@FILES@": "\n".join(_calls(steps, machines, Stage.FILES)),
        "@START@": "\n".join(_calls(steps, machines, Stage.START)),
        "@ASK@": "\n".join(_calls(steps, machines, Stage.ASK)),
        "@STOP@": "\n".join(_stops(steps, machines)),
    }
    functions = [
        _function(number, step, machines)
        for number, stage, step in steps
        if stage is not Stage.STOP or not _only_signals(step)
    ]
    checked = "\n".join(f"  {line}" for line in checks(recipe, machines))
    check = "\n".join(["check() {", checked, "}"])
    text = "\n".join([HEAD, FUNCTIONS.strip("\n"), "", check, "", "\n\n".join(functions), TAIL])
    for name, value in replaced.items():
        text = text.replace(name, value)
    return text


def _name(number: int) -> str:
    return f"step_{number}"


def _function(number: int, step: RecipeStep, machines: Machines) -> str:
    """Write the function of a step: its commands as they are printed, or its file put in place."""
    if step.language is Language.BASH:
        body = re.sub(
            r"^NODE_RANK=\d+$",
            f"NODE_RANK=$(((NODE - 1) % {machines.span}))",
            step.text,
            flags=re.M,
        )
    elif step.file.startswith("~"):
        body = _merged(step)
    else:
        body = f"place {placed(step)}"
    return "\n".join([f"{_name(number)}() {{  # {step.title}", body, "}"])


def _merged(step: RecipeStep) -> str:
    """Put the keys of a JSON file into one that a program has written already."""
    path = f'"$HOME{step.file.removeprefix("~")}"'
    return (
        f'mkdir -p "$(dirname {path})" && [ -e {path} ] || echo "{{}}" > {path}\n'
        f"jq -s '.[0] * .[1] | del(.engine.ollamaHost)' {path} \"$HERE/{placed(step)}\" "
        f'> "$STATE/merged.json" && cp "$STATE/merged.json" {path}'
    )


def _calls(
    steps: list[tuple[int, Stage, RecipeStep]], machines: Machines, wanted: Stage
) -> Iterator[str]:
    """Call the functions of a stage, each on its machines."""
    found = [(number, step) for number, stage, step in steps if stage is wanted]
    for number, step in found:
        for line in _guarded(step, machines, list(_call(number, step, wanted))):
            yield f"  {line}"
    if not found:
        yield "  :"


def _guarded(step: RecipeStep, machines: Machines, lines: list[str]) -> list[str]:
    nodes = machines.of_step(step)
    if len(nodes) == machines.total:
        return lines
    listed = " | ".join(map(str, nodes))
    return ["case $AT in", f"  {listed})", *(f"    {line}" for line in lines), "    ;;", "esac"]


def _call(number: int, step: RecipeStep, stage: Stage) -> Iterator[str]:
    yield f'say "{number}. {step.title}"'
    name = _name(number)
    if step.stays:
        yield f"keep {name}"
        if step.answers:
            listed = " ".join(f'"{one}"' for one in step.answers)
            yield f"wait_for {name} {listed}"
    elif stage is Stage.INSTALL or (stage is Stage.FILES and step.text.startswith("git clone")):
        yield f"once {name}"
    else:
        yield name


def _stops(steps: list[tuple[int, Stage, RecipeStep]], machines: Machines) -> Iterator[str]:
    """End what the script started, the last first, then do what the recipe says of stopping."""
    kept = [(number, step) for number, _, step in steps if step.stays]
    for number, step in reversed(kept):
        yield from (f"  {line}" for line in _guarded(step, machines, [f"end {_name(number)}"]))
    for number, stage, step in steps:
        if stage is Stage.STOP and not _only_signals(step):
            call = [f"{_name(number)} || true"]
            yield from (f"  {line}" for line in _guarded(step, machines, call))
    if not kept:
        yield "  :"


def _only_signals(step: RecipeStep) -> bool:
    """Return whether a step only ends processes, as ``end`` has done already."""
    return all(line.startswith(("pkill ", "kill ")) for line in step.text.splitlines())
