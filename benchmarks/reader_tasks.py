"""The eight tasks of readers, done in Chromium as a reader does them, and checked by the engine.

``python -m benchmarks.reader_tasks public`` serves a built site, and does each task at 1280 and 360
pixels from the home page with what is in sight: it clicks, types, chooses from lists and turns the
wheel. A task ends when the text of its answer is in the viewport and the engine, asked in Python,
gives the same. Prints clicks, entries (a field typed into, an entry chosen from a list, a key
pressed) and screens scrolled. Ends with 1 where a task takes more than two clicks or two screens,
or its answer is not the engine's.
"""

from __future__ import annotations

import argparse
import re
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, sync_playwright

from benchmarks.browser_parity import ARGUMENTS, opened_catalog
from benchmarks.lighthouse import Compressed, chromium
from sitegen.browser.pasted import checked, opened
from sitegen.catalog.domain.hardware import Combo
from sitegen.catalog.domain.models import LanguageModel
from sitegen.fit.assessment import Assessment, FitTier, PlanGoal
from sitegen.fit.fit_engine import FitEngine
from sitegen.lint.options import option_tables
from sitegen.ownership.prices import Basis, build_to_buy
from sitegen.quality.values import Use
from sitegen.render.filters import quantity
from sitegen.site.cells import NumberCell, Unit
from sitegen.site.composed_address import read_state
from sitegen.site.words.tiers import TIER_WORDS
from sitegen.site.words.verdicts import checkpoint_name
from sitegen.survey.best_for_use import Candidates, answer_for
from sitegen.survey.composed_build import BuildQuestion, combo_of, verdict_of

MOST_CLICKS = 2
MOST_SCREENS = 2.0
SIZES = ((1280, 800), (360, 740))
STEP = 0.25
"""Turn of the wheel, in screens."""
MOST_TURNS = 160
WAIT_MS = 90_000
Value = TypeVar("Value")
ANSWERED = "#answer[data-asked]:not([aria-busy])"
LARGE = "llama-3.3-70b-instruct"
EXPERTS = "qwen3-235b-a22b-instruct-2507"


class WrongAnswerError(Exception):
    """An answer that the engine does not give, or one that is not to be found."""


def hold(fact: object, otherwise: str) -> None:
    """Raise unless a fact holds."""
    if not fact:
        raise WrongAnswerError(otherwise)


def there(value: Value | None, what: str) -> Value:
    """Return a value that has to be there."""
    if value is None:
        raise WrongAnswerError(f"no {what}")
    return value


@dataclass
class Reader:
    """Somebody at a screen: what they do is counted."""

    page: Page
    home: str
    clicks: int = 0
    entries: int = 0
    screens: float = 0.0

    def begin(self) -> None:
        """Open the home page; nothing of it is counted."""
        self.page.goto(self.home)
        self.page.wait_for_selector("html[data-ready]", timeout=WAIT_MS)

    def click(self, what: str | Locator) -> None:
        """Bring something into sight and click it."""
        found = self._found(what)
        self.look(found)
        found.click()
        self.clicks += 1

    def type(self, what: str | Locator, text: str, *, enter: bool = False) -> None:
        """Type into a field that is in sight; the cursor gets there by a click or a key."""
        found = self._found(what)
        self.look(found)
        found.fill(text)
        self.entries += 1
        if enter:
            found.press("Enter")

    def choose(self, what: str | Locator, value: str) -> None:
        """Choose from a list that is in sight."""
        found = self._found(what)
        self.look(found)
        found.select_option(value)
        self.entries += 1

    def press(self, key: str) -> None:
        """Press a key."""
        self.page.keyboard.press(key)
        self.entries += 1

    def hardware(self, typed: str) -> None:
        """Say on the home page which hardware one has, and read the answer."""
        self.type("#hardware", typed)
        self.page.wait_for_selector("#suggestions li", timeout=WAIT_MS)
        self.page.press("#hardware", "Enter")
        self.answered()

    def answered(self) -> None:
        """Wait for the answer to what the form now asks."""
        self.page.wait_for_timeout(400)
        self.page.wait_for_selector(ANSWERED, timeout=WAIT_MS)

    def look(self, what: str | Locator) -> Locator:
        """Turn the wheel until something is in sight; what is sideways out of sight is not."""
        found = self._found(what)
        for _ in range(MOST_TURNS):
            box = there(found.bounding_box(), f"box of {found}")
            size = there(self.page.viewport_size, "viewport")
            hold(box["x"] >= -1 and box["x"] < size["width"], f"{found} is beside the screen")
            low = min(box["y"] + box["height"], box["y"] + size["height"] / 3)
            if box["y"] >= 0 and low <= size["height"]:
                return found
            down = 1 if box["y"] > 0 else -1
            before = self.page.evaluate("scrollY")
            self.page.mouse.move(size["width"] * 0.97, size["height"] * 0.5)
            self.page.mouse.wheel(0, down * STEP * size["height"])
            self.page.wait_for_timeout(60)
            moved = abs(self.page.evaluate("scrollY") - before)
            hold(moved > 0, f"{found} cannot be scrolled to")
            self.screens += moved / size["height"]
        raise WrongAnswerError(f"{found} is too far away")

    def _found(self, what: str | Locator) -> Locator:
        found = self.page.locator(what).first if isinstance(what, str) else what.first
        found.wait_for(state="visible", timeout=WAIT_MS)
        return found


@dataclass(frozen=True)
class Truth:
    """The engine, asked in Python about what a page's address names."""

    engine: FitEngine

    def verdict(self, address: str, model: str = "") -> Assessment:
        """Judge a model on the build that an address names."""
        catalog = self.engine.catalog
        state = read_state(address, catalog)
        combo = combo_of(catalog, state.build, state.combo)
        subject = catalog.models[model or state.model]
        asked = state.asked
        if asked.sequences > 1 and asked.goal is None:
            asked = BuildQuestion(asked.context_tokens, asked.sequences, goal=PlanGoal.THROUGHPUT)
        found = verdict_of(self.engine, combo, subject, asked)
        return there(found, f"way to run {subject.name} on {combo.name}")

    def best(self, address: str) -> Assessment:
        """Pick the model for all uses on the build that an address names."""
        catalog = self.engine.catalog
        state = read_state(address, catalog)
        combo = combo_of(catalog, state.build, state.combo)
        judged = (
            verdict_of(self.engine, combo, one, state.asked, cured=False)
            for one in catalog.surveyed_models
        )
        picks = [one for one in judged if one is not None]
        answer = answer_for(Use.OVERALL, Candidates.of(self.engine, picks))
        return there(answer, "best model here").picks[0].assessment

    def model(self, id: str) -> LanguageModel:
        """Return a model of the catalog."""
        return self.engine.catalog.models[id]


def fragment(page: Page) -> str:
    """Return what the address says behind its ``#``."""
    return urlsplit(page.url).fragment


def shown(page: Page) -> dict[str, str]:
    """Return the names and values of the home page's answer."""
    names, values = page.locator("#answer dt"), page.locator("#answer dd")
    return dict(zip(names.all_inner_texts(), values.all_inner_texts(), strict=True))


def same(said: str, found: str, what: str) -> None:
    """Hold what a page says to what the engine says, whatever spaces are between the words."""
    one, other = (" ".join(text.split()) for text in (said, found))
    hold(other in one, f"{what}: the page says {one!r}, the engine {other!r}")


def speed_of(found: Assessment) -> str:
    """Write the middle estimate as the pages do."""
    middle = there(found.speed, "speed").single_tokens_per_s.mid
    return quantity(NumberCell(middle, Unit.TOKENS_PER_S))


def hold_pick(reader: Reader, found: Assessment) -> None:
    """Hold the answer on the home page to the engine's pick: model, file, runtime, speed."""
    said = shown(reader.page)
    same(reader.page.locator("#answer h2").inner_text(), found.model.name, "model")
    same(reader.page.locator("#answer h2").inner_text(), TIER_WORDS[found.tier], "verdict")
    same(said["File"], checkpoint_name(found), "file")
    same(said["Runtime"], f"{found.runtime.name} {found.version}", "runtime")
    if "Speed, one user" in said:
        same(said["Speed, one user"], speed_of(found), "speed")


def hold_two_cards(found: Assessment) -> None:
    """Hold the machine that was understood to the one that was typed."""
    gpus = [one.gpu.id for one in found.combo.gpus]
    hold(gpus == ["rtx-3090"] * 2, f"understood as {found.combo.name}")


def command_tonight(reader: Reader, truth: Truth) -> None:
    """(a) Two RTX 3090: the best model tonight, and the exact command."""
    reader.begin()
    reader.hardware("2x 3090")
    reader.look("#answer h2")
    found = truth.best(fragment(reader.page))
    hold_two_cards(found)
    hold_pick(reader, found)
    commands = reader.page.locator("#answer pre")
    reader.look(commands.first)
    start = reader.look(commands.nth(1)).inner_text()
    text = "\n".join(commands.all_inner_texts())
    hold(found.checkpoint.repository, "nobody publishes the file")
    same(text, f"hf download {found.checkpoint.repository}", "download")
    hold(f"{found.runtime.id} serve" in start or "llama-server" in start, "no server is started")


def budget_for_a_model(reader: Reader, truth: Truth) -> None:
    """(b) 5,000 USD for a model of 70 B at 32K tokens."""
    reader.begin()
    reader.type("form.find input[name=q]", "llama 3.3 70b", enter=True)
    reader.click(reader.page.get_by_role("link", name="Llama 3.3 70B Instruct", exact=True))
    reader.click(reader.page.locator(".toc a", has_text="Fastest for each budget"))
    row = reader.page.locator("#budgets tbody tr", has_text=re.compile(r"^\s*5,000"))
    text = reader.look(row).inner_text()
    address = urlsplit(row.locator("a").first.get_attribute("href") or "").fragment
    found = truth.verdict(f"{address}&context=32768", LARGE)
    hold(found.tier is FitTier.COMFORTABLE, f"{found.combo.name} is {found.tier} at 32K")
    cost = build_to_buy(found.combo)
    hold(cost.amount and cost.amount <= 5_000, f"{found.combo.name} costs {cost.amount} USD")
    same(text, f"{cost.amount:,.0f} USD", "price")
    best = found.speed.single_tokens_per_s.mid if found.speed else 0
    for other in affordable(truth.engine, 5_000):
        one = verdict_of(truth.engine, other, truth.model(LARGE), BuildQuestion(32_768))
        fits = one is not None and one.tier is FitTier.COMFORTABLE and not one.too_close
        if one is not None and fits and one.speed:
            faster = one.speed.single_tokens_per_s.mid
            hold(faster <= best * 1.01, f"{other.name} is faster: {faster:.0f} tok/s")


def affordable(engine: FitEngine, usd: int) -> Iterator[Combo]:
    """Yield the combos that somebody saw for so much money or less."""
    for combo in engine.catalog.combos.values():
        cost = build_to_buy(combo)
        seen = cost.currency == "USD" and Basis.LAUNCH not in cost.bases
        if seen and cost.amount is not None and cost.amount <= usd:
            yield combo


def serve_experts(reader: Reader, truth: Truth) -> None:
    """(c) Four machines with two RTX 4090 each on 10 GbE: a 235B mixture for 20 users."""
    reader.begin()
    reader.hardware("4 nodes 2x 4090")
    reader.choose("#ask [name=use]", f"model:{EXPERTS}")
    reader.answered()
    reader.type("#ask [name=users]", "20")
    reader.page.keyboard.press("Tab")
    reader.answered()
    found = truth.verdict(fragment(reader.page), EXPERTS)
    hold(found.workload.sequences == 20, "the address does not ask for 20 users")
    gpus = [one.gpu.id for one in found.combo.gpus]
    hold(len(found.combo.nodes) == 4 and gpus == ["rtx-4090"] * 8, found.combo.name)
    reader.look("#answer h2")
    hold_pick(reader, found)
    said = shown(reader.page)
    speed = there(found.speed, "speed")
    each = quantity(NumberCell(speed.each_tokens_per_s.mid, Unit.TOKENS_PER_S))
    same(said["Speed, each user"], each, "speed of each user")
    reader.look(reader.page.locator("#answer dt", has_text="Speed, each user"))


def fails_at_start(reader: Reader, truth: Truth) -> None:
    """(d) vLLM runs out of memory at the start: Qwen3 235B as AWQ on four L40S."""
    catalog = truth.engine.catalog
    awq = next(one for one in catalog.models[EXPERTS].checkpoints if "awq" in one.id)
    command = f"vllm serve {awq.repository} --tensor-parallel-size 4"
    reader.begin()
    reader.click(reader.page.locator(".menus summary", has_text="Check my build"))
    reader.click(reader.page.get_by_role("link", name="Check a command or log"))
    reader.choose("#machine", "4x-l40s")
    reader.type("#paste", f"{command}\n")
    reader.page.wait_for_selector("#result .finding", timeout=WAIT_MS)
    tables = [(one.program, one.version, dict(one.kinds)) for one in option_tables().values()]
    problems = checked(f"{command}\n", opened(truth.engine, tables, "4x-l40s")).problems
    found = next(one for one in problems if one.hint and "--max-model-len" in one.hint)
    same(reader.page.inner_text("#result"), found.message[1:], "finding")
    fix = reader.look(reader.page.locator("#result pre", has_text="--max-model-len"))
    tokens = there(re.search(r"--max-model-len (\d+)", fix.inner_text()), "limit in the cure")
    same(
        fix.inner_text(), tokens[0] if tokens[0] in (found.hint or "") else found.hint or "", "fix"
    )
    asked = BuildQuestion(int(tokens[1]), runtime="vllm")
    verdict = verdict_of(truth.engine, catalog.combos["4x-l40s"], catalog.models[EXPERTS], asked)
    hold(verdict and verdict.tier is not FitTier.NOT_PRACTICAL, "the cure does not start")


def doubt(reader: Reader, truth: Truth) -> None:
    """(e) Not believed: the sum, how it is known, a citation, a report."""
    reader.begin()
    reader.hardware("2x 3090")
    reader.click("#answer a:has-text('See the calculation')")
    page = reader.page
    page.wait_for_selector("#details:not([hidden]) table", timeout=WAIT_MS)
    page.wait_for_function("() => document.querySelector('#details-body table tbody tr')")
    found = truth.verdict(fragment(page))
    hold_two_cards(found)
    same(
        reader.look("#verdict-facts tr:has-text('Evidence')").inner_text(),
        str(found.known_by),
        "evidence",
    )
    busiest = there(found.busiest, "fullest GPU")
    weights = quantity(NumberCell(busiest.lines["weights"].mid, Unit.GIB))
    ledger = page.locator("#details-body table", has_text="Utilization").first
    row = ledger.locator("tbody tr").first
    same(reader.look(row).inner_text(), weights, "weights of the ledger")
    same(page.locator("#details").inner_text(), found.id, "id of the assessment")
    reader.click(page.get_by_role("link", name="Cite or report"))
    page.wait_for_timeout(200)
    cited = reader.look("#cite").inner_text()
    hold("data version" in cited, "the citation has no version of the data")
    report = reader.look("a.report").get_attribute("href") or ""
    hold("issues/new" in report, "the report leads nowhere")


def first_visit(reader: Reader, truth: Truth) -> None:
    """(f) A first visit: what runs on it, how fast, how long, for how many; then every model."""
    reader.begin()
    box = reader.page.locator("#hardware").bounding_box()
    size = there(reader.page.viewport_size, "viewport")
    hold(box and box["y"] + box["height"] <= size["height"], "no field on the first screen")
    reader.hardware("5080")
    found = truth.best(fragment(reader.page))
    hold([one.gpu.id for one in found.combo.gpus] == ["rtx-5080"], found.combo.name)
    hold_pick(reader, found)
    for name in ("Speed, one user", "Longest context", "Users at 8K / 32K"):
        reader.look(reader.page.locator("#answer dt", has_text=name))
    reader.click(reader.page.locator("#answer a", has_text="All models on this machine"))
    reader.page.wait_for_selector("#results tbody tr", timeout=WAIT_MS)
    wide = reader.page.evaluate("document.documentElement.scrollWidth")
    hold(wide <= size["width"], f"the page is {wide} pixels wide")
    row = reader.page.locator("#results tbody tr").first
    reader.look(row)
    own = row.locator("th a").get_attribute("href") or ""
    judged = truth.verdict(urlsplit(own).fragment)
    limits = there(judged.limits, "limits")
    longest = (
        f"{judged.best.longest_context[0]:,}" if judged.best else f"{limits.max_context_tokens:,}"
    )
    same(row.inner_text(), longest, "longest context of the first row")
    for cell in row.locator("td").all():
        at = cell.bounding_box()
        hold(at is None or at["x"] + at["width"] <= size["width"] + 1 or size["width"] > 1000,
             "a figure of the row is beside the screen")  # fmt: skip


def by_keyboard(reader: Reader, truth: Truth) -> None:
    """(g) With keys alone: the model and its command."""
    reader.begin()
    page = reader.page
    stops = 0
    while page.evaluate("document.activeElement.id") != "hardware":
        reader.press("Tab")
        stops += 1
        hold(stops < 20, "the field is more than 20 stops away")
    page.keyboard.type("2x 3090")
    page.wait_for_selector("#suggestions li", timeout=WAIT_MS)
    reader.press("Enter")
    reader.answered()
    found = truth.best(fragment(page))
    hold_pick(reader, found)
    while not page.evaluate("document.activeElement.matches('#answer pre')"):
        reader.press("Tab")
        stops += 1
        hold(stops < 40, "the command is more than 40 stops away")
    told = page.locator("#told").inner_text()
    same(told, found.model.name, "what a screen reader is told")
    reader.look("#answer pre")


QUERIES = (
    ("deepseek", "models/deepseek-v4"), ("70b", "models/"), ("nvlink", "guides/"),
    ("out of memory", "errors/"), ("oom", "errors/"), ("best model", "quality/"),
    ("$5000", "combos/index.html?price=5000"), ("4x l40s qwen3-235b awq", "custom/index.html#"),
)  # fmt: skip


def searching(reader: Reader, truth: Truth) -> None:
    """(h) The queries of the audit: the first hit answers, and a verdict's hit says it."""
    first = "main section:not([hidden]) li:not([hidden]) a"
    current = {one.id for one in truth.engine.catalog.models.values() if not one.superseded_by}
    farthest = 0.0
    for query, address in QUERIES:
        reader.begin()
        reader.screens = 0.0
        reader.type("form.find input[name=q]", query, enter=True)
        reader.page.wait_for_selector("#told:not(:empty)", timeout=WAIT_MS)
        hit = reader.look(first)
        farthest = max(farthest, reader.screens)
        leads = hit.evaluate("one => one.href")
        hold(address in leads, f"{query!r} leads to {leads}")
        if "models/" in leads:
            hold(leads.rstrip("/").split("/models/")[1].split("/")[0] in current, f"{leads} is old")
    chip = reader.page.locator("#verdicts li .tier").first
    chip.wait_for(timeout=WAIT_MS)
    found = truth.verdict(urlsplit(str(leads)).fragment)
    same(chip.inner_text(), TIER_WORDS[found.tier], "verdict in the hit")
    reader.screens = farthest


TASKS: tuple[Callable[[Reader, Truth], None], ...] = (
    command_tonight, budget_for_a_model, serve_experts, fails_at_start, doubt, first_visit,
    by_keyboard, searching,
)  # fmt: skip


def main() -> int:
    """Do all tasks at both sizes and print what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="a folder that sitegen build made")
    parser.add_argument("--only", default="", help="letters of tasks, such as ac")
    parser.add_argument("--pictures", type=Path, help="folder for a picture of each last screen")
    given = parser.parse_args()
    truth = Truth(opened_catalog()[1])
    handler = partial(Compressed, directory=str(given.site.resolve()))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    missed = 0
    print("| task | width | clicks | entries | screens | answer |")
    print("|---|---:|---:|---:|---:|---|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for task in TASKS:
            name = (task.__doc__ or "").strip()
            if given.only and name[1] not in given.only:
                continue
            for width, height in SIZES:
                context = browser.new_context(
                    viewport={"width": width, "height": height}, reduced_motion="reduce"
                )
                reader = Reader(context.new_page(), home)
                said = "right"
                try:
                    task(reader, truth)
                except Exception as error:  # every way to fail is a row
                    said = f"WRONG: {str(error).splitlines()[0][:200]}"
                if given.pictures:
                    given.pictures.mkdir(parents=True, exist_ok=True)
                    reader.page.screenshot(path=given.pictures / f"{name[1]}-{width}.png")
                bad = reader.clicks > MOST_CLICKS or reader.screens > MOST_SCREENS
                missed += bad or said != "right"
                print(
                    f"| {name} | {width} | {reader.clicks} | {reader.entries} "
                    f"| {reader.screens:.1f} | {said}{' – TOO FAR' if bad else ''} |",
                    flush=True,
                )
                context.close()
        browser.close()
    server.shutdown()
    print(f"{missed} missed" if missed else "all right")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
