"use strict";
/* The player, and the transcript that follows it. */

(() => {
  const data = rostrum.speech;
  const byId = (id) => document.getElementById(id);
  const audio = byId("audio");
  const words = [...document.querySelectorAll("[data-w]")];
  const sentences = [...document.querySelectorAll("[data-s]")];
  data.words.text = words.map((word) => word.textContent);
  const tracks = new rostrum.Tracks(byId("tracks"), byId("map"), data, (time) => seek(time));
  let shown = { word: -1, sentence: -1 };
  let stopAt = Infinity;

  const seek = (time) => {
    stopAt = Infinity;
    audio.currentTime = Math.min(Math.max(time, 0), data.duration);
    show(audio.currentTime);
  };

  /* A browser plays nothing before the reader has done something in the page. */
  const play = () => audio.play().catch(() => rostrum.say("Press space to play"));

  const playFrom = (time) => {
    seek(time);
    play();
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
    const covered = Math.max(document.querySelector(".player").getBoundingClientRect().bottom, 0);
    if (top < covered || bottom > innerHeight) {
      const room = innerHeight - covered;
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

  const toggle = () => {
    stopAt = Infinity;
    return audio.paused ? play() : audio.pause();
  };

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
    "+": () => tracks.zoom(0.5),
    "-": () => tracks.zoom(2),
    0: () => tracks.zoom(Infinity),
  };

  /* Moments: #t=30.5 in the address is where the recording begins. */
  const moment = () => {
    const found = /^#t=(\d+(?:\.\d+)?)/.exec(location.hash);
    if (!found) return;
    playFrom(Number(found[1]));
    follow(sentences[shown.sentence]);
    sentences[shown.sentence]?.scrollIntoView({ block: "center" });
  };

  const copy = async (link) => {
    const address = new URL(link.getAttribute("href"), location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      rostrum.say(`Copied the link to ${rostrum.clock(Number(link.dataset.at))}`);
    } catch {
      rostrum.say("The link is in the address bar");
    }
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
  byId("play").addEventListener("click", toggle);
  byId("seek").addEventListener("input", (event) => seek(Number(event.target.value)));
  byId("rate").addEventListener("change", (event) => (audio.playbackRate = Number(event.target.value)));
  byId("zoom-in").addEventListener("click", () => tracks.zoom(0.5));
  byId("zoom-out").addEventListener("click", () => tracks.zoom(2));
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".moment");
    const word = event.target.closest("[data-w]");
    const at = event.target.closest(".at");
    if (link) copy(link);
    else if (word && !document.body.classList.contains("editing") && !String(getSelection())) {
      playFrom(data.words.start[word.dataset.w]);
    } else if (at) playFrom(Number(at.dataset.at));
  });
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || rostrum.isTyping(event)) return;
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  addEventListener("hashchange", moment);
  for (const box of document.querySelectorAll("[data-show]")) {
    const text = byId("text");
    const apply = () => text.classList.toggle(`show-${box.dataset.show}`, box.checked);
    box.addEventListener("change", apply);
    apply();
  }
  for (const box of document.querySelectorAll("[data-lane]")) {
    const apply = () => tracks.show(box.dataset.lane, box.checked);
    box.addEventListener("change", apply);
    apply();
  }

  rostrum.player = { seek, playFrom, tracks, audio };
  audio.removeAttribute("controls");
  document.body.classList.add("ready");
  tracks.redraw();
  show(0);
  moment();
})();
