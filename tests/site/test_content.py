"""Content: front matter, references and directives, and what is said about each mistake."""

from __future__ import annotations

import pytest

from sitegen.problems import Problem, ProblemsFound
from sitegen.render.cells import text
from sitegen.site.content.documents import parse_documents
from sitegen.site.content.references import NotUnderstood
from sitegen.site.guides.directives import resolve_directive
from sitegen.site.guides.prose import resolve_prose
from sitegen.site.guides.reference_values import resolve_reference
from sitegen.site.pages import documents
from sitegen.site.table import Table
from tests.site import fabricated

FRONT = "---\ntitle: A\ndescription: B.\nkind: guide\norder: 1\n---\n"


def problems_of(body: str) -> tuple[Problem, ...]:
    inputs = fabricated.inputs(**{"guides/a": FRONT + body})
    return resolve_prose(inputs.documents[0], inputs)[1]


def problems_of_file(path: str, content: str) -> tuple[Problem, ...]:
    with pytest.raises(ProblemsFound) as caught:
        parse_documents({path: content})
    return caught.value.problems


def value_of(reference: str) -> str:
    return text(resolve_reference(reference, fabricated.inputs())).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("gpu rtx-4090 installed", "24 GiB"),
        ("gpu rtx-4090 visible", "23.5 GiB"),
        ("gpu rtx-4090 compute-capability", "8.9"),
        ("gpu rtx-4090 fp8", "not recorded"),
        ("gpu rtx-4090 fp4", "not recorded"),
        ("gpu rtx-4090 int8", "not recorded"),
        ("gpu rtx-4090 rates-at", "not recorded"),
        ("gpu m3-ultra installed", "96 GiB, 256 GiB"),
        ("interconnect ethernet-10g latency", "60–150 µs"),
        ("model large-70b parameters", "70.6 B"),
        ("model large-70b kv-per-token", "320 KiB"),
        ("model large-70b tensor-parallel-sizes", "1, 2, 4, 8"),
        ("weights large-70b bf16 size", "131.4 GiB"),
        ("combo four-by-two gpus", "8"),
        ("combo four-by-two installed", "192 GiB"),
        ("combo four-by-two comfortable", "2"),
        ("effective four-by-two 2 1 size", "40 GiB"),
        ("effective four-by-two 2 1 replicas", "4"),
        ("assess huge-400b four-by-two tier", "not practical"),
        ("assess huge-400b four-by-two shortage", "5 GiB"),
        ("assess large-70b four-by-two plan", "TP 2 × PP 2, 2 replicas"),
        ("assess large-70b four-by-two max-context", "93,456 tokens"),
        ("runtime vllm version", "0.19"),
        ("constant vllm weights_extra_gib", "0.04 (0.03–0.05) GiB"),
        ("assumption comfortable-utilization", "0.9"),
        ("quantization q4-k-m bits", "4.83 bits"),
        ("count models", "3"),
        ("count assessments", "12"),
    ],
)
def test_a_reference_stands_for_a_value_of_the_catalog(reference: str, value: str) -> None:
    assert value_of(reference) == value


@pytest.mark.parametrize(
    ("reference", "message", "hint"),
    [
        ("gpu rtx-4900 visible", "no gpu is called 'rtx-4900'", "did you mean 'rtx-4090'?"),
        ("gpu rtx-4090 vissible", "no field of 'gpu' is called 'vissible'", "visible"),
        ("gup rtx-4090 visible", "no reference is called 'gup'", "did you mean 'gpu'?"),
        ("gpu rtx-4090", "'gpu' is followed by 1 id(s) and a field", ""),
        ("assess large-70b here tier", "no combo is called 'here'", ""),
        ("assess large-70b four-by-two q9 tier", "no checkpoint of large-70b", ""),
        ("effective four-by-two 3 1 size", "has no effective VRAM for TP 3 × PP 1", ""),
        ("config", "no reference is called 'config'", ""),
        ("gpu rtx-4090 __class__", "is not an id or a field", ""),
    ],
)
def test_a_reference_that_names_nothing_says_so(reference: str, message: str, hint: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        resolve_reference(reference, fabricated.inputs())
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "directive",
    [
        "combos", "combos nodes=many", "combos gpus=1", "combos gpu=rtx-4090", "combos mixed=yes",
        "combos only=mac-studio,mixed-pair", "effective combo=four-by-two",
        "ledger model=large-70b combo=four-by-two", "refused model=large-70b combo=four-by-two",
        "fits combo=four-by-two tier=not-practical",
        "where model=small-8b", "where model=small-8b tier=borderline limit=1",
        "checkpoints model=large-70b", "tensor-parallel models=small-8b,large-70b",
        "kv models=small-8b", "gpus vendor=nvidia", "gpus only=rtx-4090", "runtimes",
        "assumptions only=comfortable-utilization",
    ],
)  # fmt: skip
def test_a_directive_shows_rows(directive: str) -> None:
    block = resolve_directive(directive, fabricated.inputs(), id="table-1")
    table = block if isinstance(block, Table) else block.table
    assert table.rows


def test_options_select() -> None:
    def names(directive: str) -> list[str]:
        block = resolve_directive(directive, fabricated.inputs(), id="t")
        assert isinstance(block, Table)
        return [text(row.cells[0]).split("#")[0].strip() for row in block.rows]

    assert names("combos nodes=4")[0].startswith("4 nodes × 2× RTX 4090")
    assert names("combos only=single-rtx-3060,mac-studio")[0].startswith("1× RTX 3060")
    assert len(names("fits combo=four-by-two limit=1")) == 1
    assert [n.split()[0] for n in names("fits combo=four-by-two models=small-8b")] == ["Small"]


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ("combo", "no directive is called 'combo'"),
        ("fits", "{% fits %} needs combo=…"),
        ("fits combo=four-by-two teir=comfortable", "no option of 'fits' is called 'teir'"),
        ("fits combo=four-by-two tier=great", "no tier is called 'great'"),
        ("fits combo=four-by-two limit=0", "limit=0 is not a number of rows"),
        ("fits combo=four-by-two combo=x", "the option combo= stands here twice"),
        ("fits 'combo'", "''combo'' is not an option"),
        ("combos gpu=rtx-4900", "no gpu is called 'rtx-4900'"),
        ("combos nodes=7", "{% combos nodes=7 %} comes out empty"),
        ("ledger model=huge-400b combo=mac-studio", "has no plan on mac-studio"),
    ],
)
def test_a_directive_that_shows_nothing_says_why(directive: str, message: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        resolve_directive(directive, fabricated.inputs(), id="table-1")
    assert message in caught.value.message


def test_a_mistake_in_a_document_has_its_line_and_column_in_the_file() -> None:
    found = problems_of("Fine.\n\nA {{ gpu rtx-4900 visible }} GPU.\n\n{% fits %}\n")
    assert [(p.span.path, p.span.line, p.span.column) for p in found] == [
        ("content/guides/a.md", 9, 3),
        ("content/guides/a.md", 11, 1),
    ]
    assert found[0].source_line == "A {{ gpu rtx-4900 visible }} GPU."


@pytest.mark.parametrize(
    "text_", ["{{gpu rtx-4090 visible}}", "{{ gpu rtx-4090 visible", "  {% runtimes %}", "{% raw"]
)
def test_what_looks_like_the_notation_and_is_not_is_a_problem(text_: str) -> None:
    assert len(problems_of(text_ + "\n")) == 1


@pytest.mark.parametrize("text_", ["{{7*7}}", "docker ps --format '{{.Names}}'", "a {b} c"])
def test_other_braces_are_text(text_: str) -> None:
    assert problems_of(text_ + "\n") == ()


def test_documents_are_in_order_and_have_their_url() -> None:
    second = FRONT.replace("order: 1", "order: 2").replace("A", "Aaa")
    found = parse_documents(
        {
            "content/guides/z.md": FRONT,
            "content/guides/a.md": second,
            "content/pages/g.md": FRONT.replace("guide", "page"),
            "content/site.yaml": "x: y",
        }
    )
    assert [document.url for document in found] == ["/guides/z/", "/guides/a/", "/g/"]


def test_a_slip_above_a_text_hides_none_in_it() -> None:
    wrong = FRONT.replace("order: 1", "oder: 1\nstates: {24 GB: as a shop says}")
    found = problems_of_file("content/guides/a.md", f"{wrong}24 GB, [more](nowhere).\n")
    assert [problem.code for problem in found] == ["unknown-key", "link"]


@pytest.mark.parametrize(
    ("path", "content", "line", "message"),
    [
        ("content/guides/a.md", "# No front matter\n", 1, "no front matter"),
        ("content/guides/a.md", FRONT.replace("title: A\n", ""), 2, "`title` is missing"),
        ("content/guides/a.md", FRONT.replace("order", "oder"), 5, "has no key 'oder'"),
        ("content/guides/a.md", FRONT.replace("kind: guide", "kind: page"), 4, "of kind 'guide'"),
        (
            "content/guides/a.md",
            FRONT.replace("order: 1", "order: first"),
            5,
            "`order` must be a whole number, not the text 'first'",
        ),
        ("content/guides/a.md", FRONT.replace("title: A", "title:"), 2, "`title` has no value"),
        (
            "content/guides/a.md",
            FRONT.replace("order: 1", "combo: 4"),
            5,
            "`combo` must be text, not 4",
        ),
        ("content/guides/a.md", "---\ntitle: [\n---\n", 3, "a value was expected here"),
        ("content/guides/a.md", "---\ntitle: A\ntitle: B\n---\n", 3, "a second time"),
        ("content/other/a.md", FRONT, 1, "stands in content/guides/ or content/pages/"),
        ("content/guides/A B.md", FRONT, 1, "is named a-b-c.md"),
    ],
)
def test_a_wrong_file_says_what_and_where(path: str, content: str, line: int, message: str) -> None:
    (problem, *_) = problems_of_file(path, content)
    assert message in problem.message
    assert problem.span.line == line


def test_a_document_for_a_combo_that_does_not_exist_says_where() -> None:
    front = FRONT.replace("order: 1", "combo: four-by-too")
    with pytest.raises(ProblemsFound) as caught:
        list(documents.pages(fabricated.inputs(**{"guides/a": front})))
    (problem,) = caught.value.problems
    assert (problem.code, problem.message) == (
        "unknown-combo", "no combo has the id 'four-by-too'",
    )  # fmt: skip
    assert str(problem.span) == "content/guides/a.md:5:8"
    assert problem.hint == "did you mean 'four-by-two'?"
    known = fabricated.inputs(**{"guides/a": front.replace("too", "two")})
    assert [page.url for page in documents.pages(known)] == ["/guides/a/", "/guides/"]


@pytest.mark.parametrize(
    ("body", "column", "message"),
    [
        ("See [bad](nowhere.md#x).", 11, "the link 'nowhere.md#x' leads nowhere"),
        ("See [rel](../../etc/passwd).", 11, "the link '../../etc/passwd' leads nowhere"),
        ("See [js](javascript:alert) now", 10, "the link 'javascript:alert' leads nowhere"),
        ("See [host](//evil.example/x).", 12, "the link '//evil.example/x' leads nowhere"),
        ("An ![i](x.png).", 9, "the image 'x.png' is not among the site's own"),
    ],
)
def test_a_link_that_pages_would_show_as_text_is_a_problem_on_its_line(
    body: str, column: int, message: str
) -> None:
    (problem,) = problems_of_file("content/guides/a.md", f"{FRONT}\nFine.\n\n{body}\n")
    assert problem.code == "link"
    assert message in problem.message
    assert (problem.span.line, problem.span.column) == (10, column)
    assert problem.source_line == body


def test_links_that_lead_somewhere_and_code_are_left_alone() -> None:
    good = "[a](/gpus/) [b](#here) [c](https://example.org/) [d](mailto:a@example.org)"
    code = "`[x](y)`\n\n```md\n[x](y)\n```\n\n![i](/assets/icon.svg) [0](/a(b)"
    assert len(parse_documents({"content/guides/a.md": f"{FRONT}{good}\n{code}\n"})) == 1


def test_the_problems_of_all_documents_come_together() -> None:
    with pytest.raises(ProblemsFound) as caught:
        parse_documents({"content/guides/a.md": "x", "content/guides/b.md": "y"})
    assert [p.span.path for p in caught.value.problems] == [
        "content/guides/a.md",
        "content/guides/b.md",
    ]
