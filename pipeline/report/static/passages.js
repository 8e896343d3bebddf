"use strict";
/* Passages of recordings: in the page's own player where it is that recording, else in a bar at the bottom, which says
   what is heard and stops it. */

window.rostrum = window.rostrum || {};

rostrum.passages = (() => {
  const bar = document.getElementById("passage");
  if (!bar) return null;
  const part = (name) => bar.querySelector(`.passage-${name}`);
  const sound = bar.querySelector("audio");
  const player = document.getElementById("audio");
  let queue = [];
  let place = 0;

  const current = () => queue[place];

  const show = () => {
    const { button, label, text, href, start } = current();
    part("link").textContent = `${label}, ${rostrum.clock(start)}`;
    part("link").href = `${href}#t=${start}`;
    part("text").textContent = text;
    part("count").textContent = queue.length > 1 ? `${place + 1} of ${queue.length}` : "";
    for (const name of ["previous", "next"]) part(name).hidden = queue.length < 2;
    for (const each of document.querySelectorAll(".hear.now")) each.classList.remove("now");
    button?.classList.add("now");
  };

  const play = () => {
    const { audio, start } = current();
    player?.pause();
    if (sound.getAttribute("src") !== audio) sound.src = audio;
    sound.currentTime = start;
    bar.hidden = false;
    document.body.classList.add("with-passage");
    show();
    sound.play().catch(() => {});
  };

  const step = (by) => {
    if (!queue[place + by]) return false;
    place += by;
    play();
    return true;
  };

  const close = () => {
    sound.pause();
    bar.hidden = true;
    document.body.classList.remove("with-passage");
    current()?.button?.classList.remove("now");
    queue = [];
  };

  const toggle = () => {
    if (!sound.paused) return sound.pause();
    if (sound.currentTime >= current().end) sound.currentTime = current().start;
    player?.pause();
    return sound.play();
  };

  /* Play these passages one after the other: {audio, start, end, label, text, href, button}. */
  const playAll = (passages) => {
    [queue, place] = [passages, 0];
    play();
  };

  const passageOf = (button) => {
    const { audio, start, end, label, text, href } = button.dataset;
    return { audio, start: Number(start), end: Number(end) + 0.15, label, text, href, button };
  };

  const clicked = (button) => {
    const passage = passageOf(button);
    if (player?.getAttribute("src") === passage.audio) {
      close();
      player.dispatchEvent(new CustomEvent("hear", { detail: passage }));
    } else if (current()?.button === button && !bar.hidden) {
      close();
    } else {
      playAll([passage]);
    }
  };

  const label = () => {
    const paused = sound.paused;
    part("toggle").setAttribute("aria-label", paused ? "Play the passage" : "Pause the passage");
    bar.classList.toggle("playing", !paused);
  };

  sound.addEventListener("timeupdate", () => {
    if (!current()) return;
    const { start, end } = current();
    part("progress").value = Math.min(Math.max((sound.currentTime - start) / (end - start), 0), 1);
    if (sound.currentTime >= end && !sound.paused && !step(1)) sound.pause();
  });
  sound.addEventListener("ended", () => step(1));
  for (const event of ["play", "pause"]) sound.addEventListener(event, label);
  player?.addEventListener("play", () => !bar.hidden && close());
  part("toggle").addEventListener("click", toggle);
  part("stop").addEventListener("click", close);
  part("previous").addEventListener("click", () => step(-1));
  part("next").addEventListener("click", () => step(1));
  document.addEventListener("click", ({ target }) => {
    const button = target.closest(".hear");
    if (button) clicked(button);
    const all = target.closest(".hear-all");
    if (all) playAll([...all.closest("li").querySelectorAll(".made .hear")].map(passageOf));
  });

  /* Whether the key was for the passage. */
  const key = (name) => {
    if (bar.hidden) return false;
    if (name === "Escape") close();
    else if (name === " ") toggle();
    else return false;
    return true;
  };

  return { playAll, close, key };
})();

/* A click with the mouse leaves the focus where it was: space then plays and pauses, and presses no button again. What
   is edited keeps the focus, because keys are for it. */
document.addEventListener("click", (event) => {
  const control = event.target.closest("button, input[type=checkbox], input[type=range], summary");
  if (control && event.detail > 0 && !control.closest("form, #draft, .keeps-focus")) control.blur();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || rostrum.isTyping(event)) return;
  if (rostrum.passages?.key(event.key)) event.preventDefault();
  else if (event.key === "/") {
    const search = document.getElementById("find") || document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
});
