"""What Hugo and Eleventy are given is what the pages of a built site say."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generator_sites.pages import pages_of, parts_of

MARKDOWN = """# Which card?

Two of them.

```
| no table | in code |
|---|---|
```

**Cards** (2)

| Card | Price (USD) | Page |
|---|--:|---|
| A \\| B | 1,200 | [one \\[1\\]](a/index.html) |
| *C* | 90 |  |

---
"""


def test_tables_become_values_and_all_else_stays_markdown() -> None:
    before, table, after = parts_of(MARKDOWN)
    assert before["markdown"].startswith("# Which card?")
    assert "| no table | in code |" in before["markdown"]
    assert table["columns"] == [
        {"name": "Card", "numeric": False},
        {"name": "Price (USD)", "numeric": True},
        {"name": "Page", "numeric": False},
    ]
    assert table["rows"] == [
        ["A | B", "1,200", {"text": "one [1]", "href": "a/index.html"}],
        ["C", "90", ""],
    ]
    assert after["markdown"].strip() == "---"


def test_a_page_has_its_address_title_and_json(tmp_path: Path) -> None:
    for folder, result in ((tmp_path, b"{}"), (tmp_path / "combos/one", None)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "page.md").write_text(MARKDOWN, encoding="utf-8")
        if result is not None:
            (folder / "index.json").write_bytes(result)
    inner, home = pages_of(tmp_path)
    assert (home.url, home.title, home.result) == ("/", "Which card?", b"{}")
    assert (inner.url, inner.result) == ("/combos/one/", None)
    assert home.cells == 9
