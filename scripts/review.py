"""Writes what a reviewer of a change needs to know: problems, verdicts that moved and why, pages.

``review.py BASE HEAD OUT`` takes two checkouts of the project, checks and builds both with their
own program, and writes into the folder ``OUT``:

- ``comment.md``: one comment for the pull request. It begins with a marker, so that the job that
  posts it finds the comment of the time before and edits it.
- ``site/``: the site of HEAD as a preview, where it builds.

The exit status is 1 if HEAD has problems, or loses pages without a word why; the comment says
which. Text of the change is data: it stands in code or in a fence that it cannot close.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

MARKER = "<!-- sitegen: review of this change -->"
LOST = "[address-lost]"
"""A page that the last publication had, and nothing says why it is gone."""
TO_MEND = "**Not to be merged like this: addresses would be lost.**"
MOST_CHARACTERS = 60_000
"""A comment on GitHub holds 65,536 characters."""


def main(arguments: list[str]) -> int:
    """Review HEAD against BASE; return the exit status."""
    if len(arguments) != 3:
        print("usage: review.py BASE HEAD OUT")
        return 2
    base, head, out = (Path(argument).resolve() for argument in arguments)
    out.mkdir(parents=True, exist_ok=True)
    checked = sitegen(head, "check", "--format", "concise")
    parts = [MARKER, *problems(checked)]
    built = checked.returncode == 0
    compared = built and published(base, out / "base", parts)
    if compared:
        # Over the site of the base, a build says which pages would be gone without a word why.
        shutil.copytree(out / "base", out / "site")
    built = built and published(head, out / "site", parts)
    if not built:
        shutil.rmtree(out / "site", ignore_errors=True)
    elif compared:
        parts.append(difference(head, out / "base", out / "site"))
    text = shortened("\n\n".join(parts))
    (out / "comment.md").write_text(f"{text}\n", encoding="utf-8")
    print(text)
    return 0 if built and TO_MEND not in parts else 1


def sitegen(project: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the project's own program."""
    command = [sys.executable, "-m", "sitegen", *map(str, arguments)]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def problems(checked: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the part of the comment about problems: none where the check found nothing to say."""
    said = (checked.stdout + checked.stderr).strip()
    if checked.returncode == 0:
        return ["**The check found no error.**"]
    return ["**The check found errors; nothing was built.**", fenced(said)]


def published(project: Path, out: Path, parts: list[str]) -> bool:
    """Build a project into ``out``; say so in ``parts`` where that fails."""
    done = sitegen(project, "--quiet", "build", "--out", out)
    if done.returncode and LOST in done.stdout + done.stderr:
        parts += [TO_MEND, fenced((done.stdout + done.stderr).strip())]
        done = sitegen(project, "--quiet", "build", "--forget", "--out", out)
    if done.returncode:
        name = "this change" if out.name == "site" else "the base"
        parts += [f"**{name} does not build.**", fenced((done.stdout + done.stderr).strip())]
    return done.returncode == 0


def difference(project: Path, base: Path, head: Path) -> str:
    """Return which verdicts moved and why, as the project's ``sitegen diff`` says it."""
    done = sitegen(project, "diff", base, head, "--format", "md")
    return done.stdout.strip() if done.returncode == 0 else fenced(done.stderr.strip())


def fenced(text: str) -> str:
    """Return text in a fence that is longer than any run of backticks in it."""
    runs = [len(run) for run in re.findall(r"`+", text)]
    fence = "`" * max(3, *(length + 1 for length in runs), 3)
    return f"{fence}text\n{text}\n{fence}"


def shortened(text: str) -> str:
    """Cut a comment at a line's end where it is too long, and close an open fence."""
    if len(text) <= MOST_CHARACTERS:
        return text
    kept = text[:MOST_CHARACTERS].rsplit("\n", 1)[0]
    fences = re.findall(r"^(`{3,})", kept, re.MULTILINE)
    closing = f"\n{fences[-1]}" if len(fences) % 2 else ""
    return f"{kept}{closing}\n\n*The rest is in the job's files.*"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
