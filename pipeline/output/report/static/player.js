"use strict";
/* The player, and the transcript that follows it. */

(() => {
  const data = rostrum.speech;
  const byId = (id) => document.getElementById(id);
  const audio = byId("audio");
  const words = [...document.querySelectorAll("[data-w]")];
  const sentences = [...document.querySelectorAll("[data-s]")];
  const tracks = new rostrum.Tracks(byId("tracks"), data, (time) => seek(time));
  let shown = { word: -1, sentence: -1 };
  let stopAt = Infinity;

  const seek = (time) => {
    stopAt = Infinity;
    audio.currentTime = Math.min(Math.max(time, 0), data.duration);
    show(audio.currentTime);
  };

  const playFrom = (time) => {
    seek(time);
    audio.play();
  };

  /* The last of these times that is not after now; -1 where all are. */
  const lastBefore = (times, now) => {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= now) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };

  const mark = (kind, elements, place) => {
    if (shown[kind] === place) return;
    elements[shown[kind]]?.classList.remove("now");
    elements[place]?.classList.add("now");
    shown[kind] = place;
    if (kind === "sentence" && !audio.paused && byId("follow").checked) follow(elements[place]);
  };

  const follow = (element) => {
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    const covered = document.querySelector(".player").getBoundingClientRect().bottom;
    if (top < covered || bottom > innerHeight) {
      const room = innerHeight - Math.max(covered, 0);
      scrollBy({ top: top - covered - room / 3, behavior: "auto" });
    }
  };

  const show = (now) => {
    byId("now").textContent = rostrum.clock(now);
    byId("seek").value = now;
    byId("seek").setAttribute("aria-valuetext", `${rostrum.clock(now)} of ${rostrum.clock(data.duration)}`);
    tracks.moveTo(now);
    const at = now + 0.02;
    const word = lastBefore(data.words.start, at);
    mark("word", words, word >= 0 && at <= data.words.end[word] + 0.3 ? word : -1);
    mark("sentence", sentences, lastBefore(data.sentences, at));
  };

  const tick = () => {
    if (audio.currentTime >= stopAt) audio.pause();
    show(audio.currentTime);
    if (!audio.paused) requestAnimationFrame(tick);
  };

  const toggle = () => (audio.paused ? audio.play() : audio.pause());

  const stepSentence = (by) => {
    const place = Math.min(Math.max(lastBefore(data.sentences, audio.currentTime + 0.05) + by, 0), sentences.length - 1);
    seek(data.sentences[place]);
  };

  const KEYS = {
    " ": toggle,
    ArrowLeft: () => seek(audio.currentTime - 5),
    ArrowRight: () => seek(audio.currentTime + 5),
    ArrowUp: () => stepSentence(-1),
    ArrowDown: () => stepSentence(1),
  };

  audio.addEventListener("play", () => {
    document.body.classList.add("playing");
    byId("play").setAttribute("aria-label", "Pause");
    requestAnimationFrame(tick);
  });
  audio.addEventListener("pause", () => {
    document.body.classList.remove("playing");
    byId("play").setAttribute("aria-label", "Play");
    show(audio.currentTime);
  });
  audio.addEventListener("hear", ({ detail }) => {
    playFrom(detail.start);
    stopAt = detail.end;
  });
  byId("play").addEventListener("click", () => {
    stopAt = Infinity;
    toggle();
  });
  byId("seek").addEventListener("input", (event) => seek(Number(event.target.value)));
  byId("rate").addEventListener("change", (event) => (audio.playbackRate = Number(event.target.value)));
  byId("zoom-in").addEventListener("click", () => tracks.zoomBy(1));
  byId("zoom-out").addEventListener("click", () => tracks.zoomBy(-1));
  document.addEventListener("click", ({ target }) => {
    const word = target.closest("[data-w]");
    if (word && !String(getSelection())) playFrom(data.words.start[word.dataset.w]);
    else if (target.closest(".at")) playFrom(Number(target.closest(".at").dataset.at));
  });
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, select, button, a, summary, textarea, [tabindex]");
    if (busy || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  for (const box of document.querySelectorAll("[data-show]")) {
    const text = byId("text");
    const apply = () => text.classList.toggle(`show-${box.dataset.show}`, box.checked);
    box.addEventListener("change", apply);
    apply();
  }

  audio.removeAttribute("controls");
  document.body.classList.add("ready");
  tracks.redraw();
  show(0);
})();
