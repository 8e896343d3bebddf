"use strict";
/* Buttons that play a passage of some recording: in the page's own player where it is that recording, else aside. */

(() => {
  const player = document.getElementById("audio");
  const aside = Object.assign(new Audio(), { id: "aside" });
  let stopAt = Infinity;
  aside.addEventListener("timeupdate", () => aside.currentTime >= stopAt && aside.pause());
  player?.addEventListener("play", () => aside.pause());
  document.body.append(aside);

  document.addEventListener("click", ({ target }) => {
    const button = target.closest(".hear");
    if (!button) return;
    const { audio, start, end } = button.dataset;
    const passage = { start: Number(start), end: Number(end) + 0.15 };
    if (player?.getAttribute("src") === audio) {
      player.dispatchEvent(new CustomEvent("hear", { detail: passage }));
      return;
    }
    player?.pause();
    if (aside.getAttribute("src") !== audio) aside.src = audio;
    aside.currentTime = passage.start;
    stopAt = passage.end;
    aside.play();
  });
})();
