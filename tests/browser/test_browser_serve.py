"""The development server in a real browser: pages reload by themselves and their policy holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.serve.server import PAGE, Server

pytestmark = pytest.mark.browser


def test_a_page_reloads_after_an_edit_and_shows_problems_over_the_last_good_site(
    chromium: Browser, tmp_path: Path
) -> None:
    with Server.started(tmp_path) as server:
        page = chromium.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        with page.expect_websocket() as socket:
            page.goto(f"http://localhost:{server.port}/combos/")
        assert socket.value.url == f"ws://localhost:{server.port}/livereload"
        expect(page.locator("p")).to_have_text("first")
        page.wait_for_timeout(500)  # the handshake has no sign that the page shows
        server.edit(PAGE.replace("first", "second"))
        expect(page.locator("p")).to_have_text("second", timeout=15_000)
        server.edit("wrong")
        overlay = page.get_by_role("alert")
        expect(overlay).to_contain_text("error[wrong]: no good", timeout=15_000)
        expect(overlay).to_have_css("position", "fixed")
        expect(page.locator("body > p")).to_have_text("second")
        server.edit(PAGE.replace("first", "third"))
        expect(page.locator("body > p")).to_have_text("third", timeout=15_000)
        expect(overlay).to_have_count(0)
        assert [text for text in complaints if "Content Security Policy" in text] == []
        page.close()
