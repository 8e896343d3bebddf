"use strict";
/* The queue: one question at a time, a key for each answer, and the passage that it is about. */

(async () => {
  const byId = (id) => document.getElementById(id);
  const sound = byId("sound");
  const buttons = [...document.querySelectorAll("[data-answer]")];
  let found = { questions: [], motions: {}, speeches: {} };
  let place = 0;
  let isSending = false;

  const MEANINGS = {
    mention: "Heard: this passage makes the argument. Wrong passage: the speech makes it, but not here. Not heard: the speech makes it nowhere.",
    match: "Heard: this passage makes the key point. Wrong passage or not heard: it does not, and the passage no longer counts for the point.",
  };

  const OF_A_SPEECH = "Heard: the speech makes the argument. Not heard: it makes it nowhere.";

  const current = () => found.questions[place];
  const speech = () => found.speeches[current().speech];

  const stop = () => sound.pause();

  /* A browser plays nothing before the reader has done something in the page. */
  const play = () => {
    const { audio } = speech();
    if (!audio) return;
    if (sound.getAttribute("src") !== audio) sound.src = audio;
    sound.currentTime = current().said?.start ?? 0;
    sound.play().catch(() => rostrum.say("Press space to play"));
  };

  const show = () => {
    const question = current();
    byId("question").classList.toggle("done", !question);
    byId("progress").textContent = question ? `Question ${place + 1} of ${found.questions.length}` : "";
    for (const button of [...buttons, byId("listen")]) button.disabled = !question;
    byId("back").disabled = place === 0;
    byId("whole").hidden = byId("meaning").hidden = !question;
    if (!question) {
      const answered = found.questions.length ? "All questions are answered. Thank you." : "Nothing to ask: the run has no argument and no key point that nobody has judged.";
      for (const id of ["motion", "asks", "who", "heard"]) byId(id).textContent = "";
      byId("point").textContent = answered;
      return;
    }
    const { label, href, audio, sentences } = speech();
    byId("motion").textContent = found.motions[question.motion] ?? "";
    byId("asks").textContent = question.kind === "mention" ? "Does the speech make this argument?" : "Does the passage make this key point?";
    byId("point").textContent = question.title;
    const link = Object.assign(document.createElement("a"), { href: question.said ? `${href}#${audio ? "t=" : "at-"}${question.said.start}` : href, textContent: label });
    byId("who").replaceChildren(link, question.said && audio ? `, ${rostrum.clock(question.said.start)}` : "");
    byId("heard").textContent = question.said?.text ?? "No sentence carries it by itself. Listen to the speech, or read it below.";
    byId("meaning").textContent = question.said ? MEANINGS[question.kind] : OF_A_SPEECH;
    document.querySelector("[data-answer='wrong passage']").hidden = !question.said;
    byId("listen").hidden = !audio;
    byId("speech").replaceChildren(...sentences.flatMap(([start, end, text]) => {
      const isHere = question.said && start < question.said.end && end > question.said.start;
      return [Object.assign(document.createElement(isHere ? "mark" : "span"), { textContent: text }), " "];
    }));
    byId("whole").open = !question.said;
  };

  const sent = async (question, judgement) => {
    const { motion, kind, side, of, speech: id, said } = question;
    const body = JSON.stringify({ motion, kind, judgement, of, speech: id, side, start: said?.start ?? null, end: said?.end ?? null, text: (said?.text ?? "").slice(0, 500).trim() });
    try {
      const response = await fetch("judgements", { method: "POST", body, headers: { "Content-Type": "application/json" } });
      if (response.ok) return true;
      rostrum.say((await response.json()).error);
    } catch {
      rostrum.say("The server does not answer. Is `rostrum report --serve --edit` still running?");
    }
    return false;
  };

  const once = (act) => async (...given) => {
    if (isSending) return;
    isSending = true;
    await act(...given);
    isSending = false;
  };

  const answer = once(async (judgement) => {
    if (!current() || (judgement === "wrong passage" && !current().said) || !(await sent(current(), judgement))) return;
    stop();
    place += 1;
    show();
    if (current()) play();
  });

  const back = once(async () => {
    if (!place || !(await sent(found.questions[place - 1], "as found"))) return;
    stop();
    place -= 1;
    show();
  });

  const toggle = () => (sound.paused ? play() : stop());
  const KEYS = { h: "heard", n: "not heard", w: "wrong passage", c: "cannot say" };

  sound.addEventListener("timeupdate", () => {
    const said = current()?.said;
    if (said && sound.currentTime >= said.end + 0.15) stop();
  });
  for (const event of ["play", "pause"]) sound.addEventListener(event, () => {
    byId("question").classList.toggle("playing", !sound.paused);
    byId("listen").setAttribute("aria-label", sound.paused ? "Play the passage" : "Pause the passage");
  });
  for (const button of buttons) button.addEventListener("click", () => answer(button.dataset.answer));
  byId("listen").addEventListener("click", toggle);
  byId("back").addEventListener("click", back);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || rostrum.isTyping(event)) return;
    const key = event.key.toLowerCase();
    if (KEYS[key]) answer(KEYS[key]);
    else if (key === "b" || key === "arrowleft") back();
    else if (key === " " && current()) toggle();
    else return;
    event.preventDefault();
  });

  const response = await fetch("queue.json");
  found = await response.json();
  show();
})();
