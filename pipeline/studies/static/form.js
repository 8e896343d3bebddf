// A form of a study: shows one item after the other, and hands the answers over before it shows the next.
"use strict";
(() => {
  const DATA = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const main = $("main"), next = $("next"), message = $("message");
  let state = null, answers = {}, opened = 0, ticking = 0, player = null, onNext = null;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key in made && typeof value !== "string") made[key] = value;
      else if (value !== null) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  // ---- Where answers go: to the server, or into this browser until they are saved as a file.

  const server = {
    async call(what, sent) {
      for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
        try {
          const reply = await fetch(what, sent === undefined ? {} : { method: "POST", body: JSON.stringify(sent) });
          const content = await reply.json();
          if (reply.status < 500) {
            if (wait > 500) say("");
            return { status: reply.status, ...content };
          }
          say(content.error || "The server has a problem. Trying again.");
        } catch (error) {
          say("No connection. Your answers are kept, and sent as soon as it is back.");
        }
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    },
    state() { return this.call("state"); },
    agree() { return this.call("agree", {}); },
    open(item) { return this.call("open", { item }); },
    questions(item) { return this.call("questions", { item }); },
    answer(sent) { return this.call("answer", sent); },
  };

  function inThisBrowser(sheet) {
    const key = `rostrum ${DATA.study} ${sheet.worker}`;
    const kept = JSON.parse(localStorage.getItem(key) || '{"lines": [], "opened": {}, "agreed": false}');
    const keep = () => localStorage.setItem(key, JSON.stringify(kept));
    const now = () => Date.now() / 1000;
    const current = () => sheet.items[kept.lines.length];
    const mayAsk = (item) => !item.seconds || now() - (kept.opened[item.id] ?? Infinity) >= item.seconds - 1;
    const made = {
      lines: () => kept.lines,
      async state() {
        const item = current(), agreed = kept.agreed || !DATA.consent;
        return {
          title: DATA.title, done: kept.lines.length, total: sheet.items.length, first: !kept.lines.length, limit: sheet.limit,
          phase: !agreed ? "consent" : item ? "item" : "done", training: kept.lines.length < sheet.training,
          item: agreed && item ? { ...item, known: undefined, questions: mayAsk(item) ? item.questions : null } : undefined,
        };
      },
      async agree() { kept.agreed = true; kept.at = now(); keep(); return made.state(); },
      async open(item) { kept.opened[item] ??= now(); keep(); return { seconds: now() - kept.opened[item] }; },
      async questions() { return mayAsk(current()) ? { status: 200, questions: current().questions } : { status: 425, error: "Listen to the end first." }; },
      async answer(sent) {
        const item = current(), at = now();
        const seconds = at - (kept.opened[item.id] ?? at);
        const late = sent.late || (sheet.limit !== null && seconds > sheet.limit + item.seconds + 5);
        kept.lines.push({ worker: sheet.worker, item: item.id, number: sent.number, answers: sent.late ? {} : sent.answers, seconds, at, late });
        keep();
        const following = await made.state();
        return kept.lines.length <= sheet.training ? { ...following, feedback: { known: item.known, right: null } } : following;
      },
    };
    return made;
  }
  const desk = DATA.sheet ? inThisBrowser(DATA.sheet) : server;

  function saveFile() {
    const kept = desk.lines().map((line) => JSON.stringify(line)).join("\n") + "\n";
    const link = element("a", { href: URL.createObjectURL(new Blob([kept], { type: "application/jsonl" })), download: `${DATA.study}-${DATA.sheet.worker}.jsonl` });
    document.body.append(link);
    link.click();
    link.remove();
  }

  // ---- The page around the items.

  function say(text) { message.textContent = text; }

  function frame() {
    document.title = state.title;
    $("title").textContent = state.title;
    $("count").textContent = state.phase === "item" ? `${state.training ? "Practice, " : ""}${state.done + 1} of ${state.total}` : "";
    $("progress").value = state.total ? state.done / state.total : 0;
    $("help").hidden = state.phase !== "item";
    $("save").hidden = !DATA.sheet || !state.done;
    $("clock").hidden = true;
    clearInterval(ticking);
    say("");
  }

  function screen(children, label, act, keys = "") {
    player = null;
    main.replaceChildren(...children);
    $("actions").hidden = !label;
    next.textContent = label || "";
    next.disabled = false;
    onNext = act;
    $("keys").innerHTML = keys;
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }

  function prose(html) {
    const made = element("div", { class: "card prose" });
    made.innerHTML = html; // written by the organiser, without raw HTML
    return made;
  }

  async function show(following) {
    state = following;
    frame();
    if (state.phase === "consent") return consent();
    if (state.phase === "done") return finished();
    if (state.first && !sessionStorage.getItem("read")) return screen([prose(DATA.guidelines)], "Begin", () => { sessionStorage.setItem("read", "1"); show(state); }, "<kbd>Enter</kbd> begins");
    return item();
  }

  function consent() {
    const box = element("input", { type: "checkbox", id: "agree" });
    screen([prose(DATA.consent), element("label", { class: "agree" }, box, element("span", {}, "I have read this, and I agree to take part."))], "Continue", async () => {
      if (!box.checked) return say("Tick the box to take part, or close this page.");
      show(await desk.agree());
    });
  }

  function finished() {
    const text = DATA.sheet ? "Save your answers as a file, and send it to the organiser." : "Your answers are stored. You can close this page.";
    const card = element("div", { class: "finished" }, element("p", { class: "mark", "aria-hidden": "true" }, "✓"), element("h2", {}, "Done. Thank you!"), element("p", { class: "lead" }, text));
    screen([card], DATA.sheet ? "Save my answers" : "", DATA.sheet ? saveFile : null);
    $("progress").value = 1;
  }

  // ---- One item.

  // Points and sentences stand on lines of their own, which are told from lines that are broken.
  const linesOf = (text) => text.split("\n").filter((line) => line.trim()).map((line) => element("span", { class: "line" }, line));

  const draftKey = () => `draft ${state.item.id}`;

  async function item() {
    const current = state.item;
    answers = JSON.parse(sessionStorage.getItem(draftKey()) || "{}");
    const heading = element("div", {}, element("h2", {}, current.title), current.lead ? element("p", { class: "lead" }, current.lead) : null);
    const texts = current.shown.filter((part) => part.text), sounds = current.shown.filter((part) => part.media);
    const blocks = texts.map((part) => element("article", { class: "shown" }, part.label ? element("h3", {}, part.label) : null, element("p", {}, ...linesOf(part.text))));
    const pair = blocks.length > 1 && texts.every((part) => part.text.length <= 1200) ? [element("div", { class: "pair" }, ...blocks)] : blocks;
    const asked = element("div", { id: "asked" });
    const players = sounds.map((part) => makePlayer(part, current.seek));
    screen([heading, ...players.map((made) => made.box), ...pair, asked], "Next", send);
    const began = await desk.open(current.id);
    if (state.item !== current) return;
    opened = performance.now() - (began.seconds || 0) * 1000;
    if (state.limit) countDown(state.limit + current.seconds);
    if (current.questions) return ask(current, asked);
    next.disabled = true;
    const wait = element("p", { class: "card soft" }, sounds.length > 1 ? "The questions come when you have heard everything." : "The questions come when you have heard the speech.");
    asked.replaceChildren(wait);
    $("keys").innerHTML = "<kbd>Space</kbd> plays and pauses";
    player = players[0];
    if (current.seek) players.forEach((made) => { made.onEnd = () => heard(current, players, asked); });
    else players.forEach((made, place) => { made.onEnd = () => { player = players[place + 1] || player; heard(current, players, asked); }; });
  }

  async function heard(current, players, asked) {
    if (!players.every((made) => made.ended)) return;
    for (;;) {
      const reply = await desk.questions(current.id);
      if (state.item !== current) return;
      if (reply.status !== 425) {
        current.questions = reply.questions;
        next.disabled = false;
        say("");
        return ask(current, asked);
      }
      say("One moment: the questions come when the recording is over.");
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  function makePlayer(part, seek) {
    const audio = element("audio", { src: `media/${part.media}`, preload: "auto" });
    const button = element("button", { type: "button", class: "play", "aria-label": "Play" });
    button.innerHTML = '<svg viewBox="0 0 16 16" aria-hidden="true"><path class="starting" d="M3 1.5v13l11-6.5z"/><path class="pausing" d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>';
    const bar = seek ? element("input", { type: "range", min: "0", max: String(part.seconds), step: "0.1", value: "0", "aria-label": "Position" }) : element("progress", { max: part.seconds, value: 0, "aria-label": "Position" });
    const time = element("span", { class: "time" }, clock(part.seconds));
    const what = element("p", { class: "what" }, seek ? "" : "You hear this once. You can pause, and not go back.");
    const made = { audio, ended: false, furthest: 0, onEnd: () => {}, box: element("section", { class: "player", "aria-label": part.label || "Recording" }, part.label ? element("h3", {}, part.label) : null, button, bar, time, what, audio) };
    made.toggle = () => { if (button.disabled) return; if (audio.paused) audio.play().catch(() => say("The recording cannot be played. Load the page again.")); else audio.pause(); };
    button.addEventListener("click", made.toggle);
    audio.addEventListener("play", () => { document.querySelectorAll("audio").forEach((other) => { if (other !== audio) other.pause(); }); player = made; });
    for (const kind of ["play", "pause", "ended"]) audio.addEventListener(kind, () => { button.classList.toggle("on", !audio.paused); button.setAttribute("aria-label", audio.paused ? "Play" : "Pause"); });
    audio.addEventListener("timeupdate", () => {
      if (!audio.seeking) made.furthest = Math.max(made.furthest, audio.currentTime);
      bar.value = audio.currentTime;
      time.textContent = clock(Math.max(part.seconds - audio.currentTime, 0));
    });
    audio.addEventListener("seeking", () => { if (!seek && Math.abs(audio.currentTime - made.furthest) > 0.7) audio.currentTime = made.furthest; });
    audio.addEventListener("error", () => say("The recording cannot be loaded. Load the page again."));
    audio.addEventListener("ended", () => {
      made.ended = true;
      if (!seek) { button.disabled = true; what.textContent = "Heard."; }
      made.onEnd();
    });
    if (seek) bar.addEventListener("input", () => { audio.currentTime = Number(bar.value); });
    return made;
  }

  function clock(seconds) { const whole = Math.round(seconds); return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`; }

  function countDown(limit) {
    const timer = $("clock");
    timer.hidden = false;
    const tick = () => {
      const left = limit - (performance.now() - opened) / 1000;
      timer.textContent = `${clock(Math.max(left, 0))} left`;
      timer.classList.toggle("short", left < 15);
      if (left <= 0) { clearInterval(ticking); timeOver(); }
    };
    tick();
    ticking = setInterval(tick, 500);
  }

  // ---- Questions.

  function ask(current, asked) {
    asked.replaceChildren();
    for (const question of current.questions) {
      if (question.kind === "text" && answers[question.id] === undefined && question.default) answers[question.id] = question.default;
      const box = FIELDS[question.kind](question);
      box.dataset.question = question.id;
      asked.append(box);
    }
    update();
    $("keys").innerHTML = hint(current.questions);
    const first = asked.querySelector("input, textarea");
    if (first && matchMedia("(hover: hover)").matches) first.focus({ preventScroll: !!player });
  }

  function hint(questions) {
    const parts = [];
    const most = Math.min(9, Math.max(0, ...questions.map((question) => question.options.length)));
    if (most) parts.push(`<kbd>1</kbd> … <kbd>${most}</kbd> choose`);
    if (questions.some((question) => question.none_button)) parts.push("<kbd>0</kbd> none");
    parts.push(questions.some((question) => question.kind === "text") ? "<kbd>Ctrl</kbd> <kbd>Enter</kbd> next" : "<kbd>Enter</kbd> next");
    return parts.join(" · ");
  }

  function option(question, each, place, kind, name, checked, change) {
    const input = element("input", { type: kind, name, value: each.value });
    input.checked = checked;
    input.addEventListener("change", () => change(input));
    return element("label", { class: "option", "data-value": each.value }, input, element("span", {}, each.text), place < 9 ? element("kbd", { "aria-hidden": "true" }, String(place + 1)) : null);
  }

  const FIELDS = {
    choice(question) {
      const short = question.options.every((each) => each.text.length < 24);
      const list = element("div", { class: short ? "options short" : "options" }, ...question.options.map((each, place) => option(question, each, place, "radio", question.id, answers[question.id] === each.value, (input) => set(question, input.value))));
      return element("fieldset", {}, element("legend", {}, question.text), list);
    },
    several(question) {
      const chosen = () => answers[question.id] || [];
      const list = element("div", { class: "options" }, ...question.options.map((each, place) => option(question, each, place, "checkbox", question.id, chosen().includes(each.value), (input) => {
        const others = chosen().filter((value) => value !== each.value);
        set(question, input.checked ? [...others, each.value] : others);
      })));
      return element("fieldset", {}, element("legend", {}, question.text), list, none(question, () => { list.querySelectorAll("input").forEach((input) => { input.checked = false; }); set(question, []); }));
    },
    rows(question) {
      const last = question.options[question.options.length - 1].value;
      const list = element("div", { class: "rows" }, ...question.rows.map((row) => element("fieldset", { class: "row", "data-row": row.value }, element("legend", {}, row.text), element("div", { class: question.options.length > 3 ? "options many" : `options columns${question.options.length}` }, ...question.options.map((each, place) => option(question, each, place, "radio", `${question.id} ${row.value}`, (answers[question.id] || {})[row.value] === each.value, (input) => set(question, { ...answers[question.id], [row.value]: input.value })))))));
      return element("fieldset", {}, element("legend", {}, question.text), list, none(question, () => {
        list.querySelectorAll(".row").forEach((row) => { if (!row.querySelector(":checked")) row.querySelector(`input[value="${last}"]`).checked = true; });
        set(question, Object.fromEntries(question.rows.map((row) => [row.value, (answers[question.id] || {})[row.value] || last])));
      }));
    },
    text(question) {
      const id = `text ${question.id}`;
      const box = element("textarea", { id, rows: "3", spellcheck: "true" });
      if (question.default) box.classList.add("tall");
      box.value = answers[question.id] || "";
      const counter = element("p", { class: "counter" });
      const count = () => {
        const length = box.value.split(/\s+/).filter(Boolean).join(" ").length;
        counter.textContent = question.most ? `${length} of ${question.least} to ${question.most} characters` : "";
        counter.classList.toggle("short", length > 0 && (length < question.least || (question.most && length > question.most)));
      };
      box.addEventListener("input", () => { count(); set(question, box.value); });
      count();
      return element("div", {}, element("label", { for: id, class: "asks" }, question.text), box, counter);
    },
  };

  function none(question, act) {
    if (!question.none_button) return null;
    const button = element("button", { type: "button", class: "quiet none", "data-none": question.id }, question.none_button);
    if (question.kind === "several") button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", act);
    return element("p", {}, button);
  }

  function set(question, value) {
    answers[question.id] = value;
    sessionStorage.setItem(draftKey(), JSON.stringify(answers));
    say("");
    update();
  }

  const isAsked = (question) => !question.asked_if || [answers[question.asked_if.question]].flat().some((value) => question.asked_if.values.includes(value));

  function isAnswered(question) {
    const answer = answers[question.id];
    if (question.kind === "text") { const length = (answer || "").split(/\s+/).filter(Boolean).join(" ").length; return length >= question.least && (!question.most || length <= question.most); }
    if (question.kind === "choice") return answer !== undefined;
    if (question.kind === "rows") return answer !== undefined && question.rows.every((row) => answer[row.value]);
    return answer !== undefined && answer.length >= question.least;
  }

  const boxOf = (question) => main.querySelector(`[data-question="${question.id}"]`);

  function update() {
    for (const question of state.item.questions || []) {
      boxOf(question).hidden = !isAsked(question);
      for (const row of boxOf(question).querySelectorAll(".row")) row.classList.remove("missing");
      boxOf(question).querySelector(".none[aria-pressed]")?.setAttribute("aria-pressed", String(answers[question.id]?.length === 0));
    }
    mark();
  }

  function activeQuestion() {
    const questions = (state.item.questions || []).filter(isAsked);
    const focused = document.activeElement && document.activeElement.closest("[data-question]");
    return questions.find((question) => question.kind !== "text" && !isAnswered(question)) || questions.find((question) => focused && question.id === focused.dataset.question) || questions.find((question) => question.kind !== "text");
  }

  function activeRow(question) {
    const rows = [...boxOf(question).querySelectorAll(".row")];
    const focused = document.activeElement && document.activeElement.closest(".row");
    return (rows.includes(focused) && !focused.querySelector(":checked") ? focused : null) || rows.find((row) => !row.querySelector(":checked")) || (rows.includes(focused) ? focused : rows[0]);
  }

  function mark() {
    main.querySelectorAll(".row.now").forEach((row) => row.classList.remove("now"));
    const question = (state.item.questions || []).filter(isAsked).find((each) => each.kind === "rows" && boxOf(each) && !isAnswered(each));
    if (question) { const row = activeRow(question); if (row) row.classList.add("now"); }
  }

  async function send() {
    const questions = state.item.questions;
    if (!questions || next.disabled) return;
    const missing = questions.filter(isAsked).find((question) => !isAnswered(question));
    if (missing) {
      say(missing.kind === "text" ? `Write ${missing.least} to ${missing.most} characters.` : missing.kind === "rows" ? "Answer every line." : missing.kind === "several" ? "Choose, or say that none fits." : "Choose one.");
      const row = [...boxOf(missing).querySelectorAll(".row")].find((each) => !each.querySelector(":checked"));
      if (row) row.classList.add("missing");
      (row || boxOf(missing)).scrollIntoView({ block: "center" });
      return (row || boxOf(missing)).querySelector("input, textarea")?.focus();
    }
    const asked = questions.filter(isAsked).map((question) => question.id);
    deliver({ answers: Object.fromEntries(Object.entries(answers).filter(([id]) => asked.includes(id))), late: false });
  }

  const timeOver = () => deliver({ answers: {}, late: true });

  async function deliver(what) {
    const current = state.item;
    next.disabled = true;
    clearInterval(ticking);
    document.querySelectorAll("audio").forEach((audio) => audio.pause());
    const random = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const reply = await desk.answer({ item: current.id, number: random, ...what });
    if (reply.error) { next.disabled = false; return say(reply.error); }
    sessionStorage.removeItem(draftKey());
    if (reply.feedback) return review(current, what.answers, reply);
    await show(reply);
    if (what.late) say("The time for the last question was over.");
  }

  // After practice: what was expected, marked in the item itself.
  function review(current, given, reply) {
    let wrong = 0;
    for (const question of current.questions) {
      const known = reply.feedback.known[question.id];
      const box = boxOf(question);
      if (known === undefined || box.hidden) continue;
      box.querySelectorAll("input").forEach((input) => {
        const row = input.closest(".row");
        const expected = row ? known[row.dataset.row] : known;
        const isKnown = [expected].flat().includes(input.value);
        if (isKnown) input.closest(".option").classList.add("known");
        if (input.checked && expected !== undefined && !isKnown) { input.closest(".option").classList.add("mistake"); wrong += 1; }
        if (question.kind === "several" && isKnown && !input.checked) wrong += 1;
      });
    }
    main.querySelectorAll("input, textarea, button").forEach((input) => { input.disabled = true; });
    const verdict = element("p", { class: wrong ? "card verdict some" : "card verdict", role: "status" }, wrong ? `Not quite: ${wrong} ${wrong === 1 ? "answer differs" : "answers differ"} from what was expected. The expected answers are green.` : "Right. This was practice: your answers are as expected.");
    main.prepend(verdict);
    next.textContent = "Go on";
    next.disabled = false;
    $("keys").innerHTML = "<kbd>Enter</kbd> goes on";
    onNext = () => show(reply);
    next.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  // ---- Keys.

  document.addEventListener("keydown", (event) => {
    if ($("guidelines").open || event.altKey || event.metaKey) return;
    const target = event.target, writes = target.tagName === "TEXTAREA";
    if (event.key === "Enter" && (event.ctrlKey || (!writes && target.tagName !== "BUTTON"))) {
      event.preventDefault();
      if (!next.disabled && onNext) onNext();
      return;
    }
    if (writes || event.ctrlKey || !state || state.phase !== "item") return;
    if (event.key === " " && player && target.tagName !== "BUTTON" && target.tagName !== "INPUT") { event.preventDefault(); player.toggle(); return; }
    if (!/^[0-9]$/.test(event.key) || !state.item.questions || onNext !== send) return;
    const question = activeQuestion();
    if (!question) return;
    event.preventDefault();
    if (event.key === "0") { main.querySelector(`[data-none="${question.id}"]`)?.click(); return; }
    const place = question.kind === "rows" ? activeRow(question) : boxOf(question);
    const input = place.querySelectorAll("input")[Number(event.key) - 1];
    if (!input) return;
    input.click();
    const following = question.kind === "rows" && !isAnswered(question) ? activeRow(question)?.querySelector("input") : input;
    const text = state.item.questions.find((each) => each.kind === "text" && isAsked(each) && !isAnswered(each));
    if (question.kind === "choice" && text && !(state.item.questions.filter(isAsked).some((each) => each.kind !== "text" && !isAnswered(each)))) boxOf(text).querySelector("textarea").focus();
    else following?.focus();
  });

  next.addEventListener("click", () => onNext && onNext());
  $("save").addEventListener("click", saveFile);
  $("help").addEventListener("click", () => $("guidelines").showModal());
  $("guidelines-text").innerHTML = DATA.guidelines;
  document.addEventListener("focusin", () => { if (state && state.phase === "item" && state.item) mark(); });
  desk.state().then(show);
})();
