"use strict";
/* A speech as several runs heard it: its times play, and N and P lead from difference to difference. */

(() => {
  const audio = document.getElementById("audio");
  const rows = [...document.querySelectorAll(".passage-row")];
  const differences = [...document.querySelectorAll(".different")];
  const startOf = (row) => Number(row.querySelector(".at")?.dataset.at ?? NaN);

  const playFrom = (time) => {
    if (!audio) return;
    audio.currentTime = time;
    audio.play().catch(() => rostrum.say("Press the player's button to play"));
  };

  const step = (by) => {
    const now = differences.indexOf(document.activeElement);
    const next = now < 0 ? (by > 0 ? 0 : differences.length - 1) : now + by;
    differences[Math.min(Math.max(next, 0), differences.length - 1)]?.focus();
  };

  document.addEventListener("click", ({ target }) => {
    const at = target.closest(".at");
    if (at) playFrom(Number(at.dataset.at));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || rostrum.isTyping(event)) return;
    if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
    else return;
    event.preventDefault();
  });
  audio?.addEventListener("timeupdate", () => {
    const place = rows.findLastIndex((row) => startOf(row) <= audio.currentTime + 0.02);
    rows.forEach((row, number) => row.classList.toggle("now", number === place && !audio.paused));
  });
  const moment = /^#t=(\d+(?:\.\d+)?)/.exec(location.hash);
  if (moment) {
    const row = rows.findLast((each) => startOf(each) <= Number(moment[1]) + 0.02);
    row?.scrollIntoView({ block: "center" });
    if (audio) audio.currentTime = Number(moment[1]);
  }
})();
