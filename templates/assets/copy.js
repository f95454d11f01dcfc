// A button beside every command and file that puts its text on the clipboard.
// Its word is a label: the text of the page is the same with and without it.
"use strict";
function copyButtons(part) {
  if (!navigator.clipboard) return;
  for (const block of part.querySelectorAll(".code pre")) {
    const button = document.createElement("button");
    const say = (word) => button.setAttribute("aria-label", word);
    button.type = "button";
    button.className = "copy";
    say("Copy");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.textContent);
        say("Copied");
      } catch {
        say("Copying is not allowed here");
      }
      setTimeout(() => say("Copy"), 2000);
    });
    block.after(button);
  }
}
copyButtons(document);
