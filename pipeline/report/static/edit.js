"use strict";
/* Correcting a speech: words, speakers, sentences and mentions, by keyboard. What is kept goes to the server that
   `rostrum report --serve --edit` runs; nothing of the run changes until the next one. */

(() => {
  const transcript = document.getElementById("text");
  if (!transcript) return;
  const address = `../corrections/${location.pathname.split("/").pop().replace(/\.html$/, "")}`;
  const { player } = rostrum;
  let draft = null;
  let saved = "";
  let version = 0;
  let caret = 0;
  let writing = null;
  const past = [];
  const future = [];

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const button = (textContent, onclick, properties = {}) => make("button", { type: "button", textContent, onclick, ...properties });

  /* The bar and the places of the draft */

  const state = make("output", { className: "small soft" });
  const names = make("datalist", { id: "speaker-names" });
  const asked = make("input", { autocomplete: "off", maxLength: 100 });
  asked.setAttribute("list", "speaker-names");
  const everywhere = make("button", { type: "submit", value: "all" });
  const ask = make(
    "form",
    { className: "ask", hidden: true },
    make("label", {}, "Speaker ", asked),
    make("button", { type: "submit", value: "turn", textContent: "From this word to the end of the turn" }),
    everywhere,
    button("Cancel", () => endAsking()),
  );
  const keys = make("p", { className: "small soft", textContent:
    "Click a word, or go to it by the arrow keys. Enter changes it (spaces make several words, an empty text removes it), I adds one after it, Delete removes it. A full stop ends or joins a sentence. " +
    "S names the speaker. Space plays from the word. Ctrl+Z undoes, Ctrl+S saves, Escape ends." });
  const conflict = make("section", { className: "conflict", hidden: true });
  conflict.setAttribute("aria-label", "Two versions");
  const begin = button("Correct this speech", () => open());
  const undoSaved = button("Take back the last saved", () => takeBack());
  const group = (label, ...children) => {
    const element = make("div", { className: "tools" }, ...children);
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", label);
    return element;
  };
  const bar = make("div", { className: "editor" }, begin);
  /* Always in sight, at the bottom: what can be done with the word, and with the whole draft. */
  const dock = make("div", { className: "dock", hidden: true }, ask, names,
    group("The word", button("Play", () => playOrPause()), button("Change", () => rewrite()), button("Add after", () => insert()),
      button("Remove", () => write(caret, [])), button("End or join sentence", () => endSentence()), button("Speaker", () => askSpeaker())),
    group("The draft", button("Save", () => save()), button("Undo", () => step(past, future)), button("Redo", () => step(future, past)),
      undoSaved, button("Close", () => close()), state));
  dock.setAttribute("role", "toolbar");
  dock.setAttribute("aria-label", "Corrections");
  const sheet = make("div", { id: "draft", hidden: true });
  const marks = make("section", { id: "marks", hidden: true });
  marks.setAttribute("aria-label", "Arguments");
  const people = make("section", { id: "who", hidden: true });
  people.setAttribute("aria-label", "People");
  transcript.before(bar, conflict, sheet);
  sheet.after(marks);
  bar.after(people);
  document.querySelector("main").append(dock);

  /* The draft and its history. `ends` of a word: a sentence ends after it. */

  const taken = (document_) => {
    const ends = new Set(document_.sentence_ends);
    draft = { words: document_.words.map((word, place) => ({ ...word, ends: ends.has(place + 1) })), mentioned: document_.mentioned, people: document_.people };
    saved = JSON.stringify(draft);
    ({ version } = document_);
    conflict.hidden = true;
    draft.arguments = document_.arguments;
    draft.speakers = document_.speakers;
    undoSaved.disabled = !document_.is_corrected;
    [past, future].forEach((each) => each.splice(0));
    caret = Math.min(caret, Math.max(draft.words.length - 1, 0));
    render();
  };

  const content = () => JSON.stringify({ words: draft.words, mentioned: draft.mentioned, people: draft.people });
  const isSaved = () => content() === saved;

  const change = (alter) => {
    const before = content();
    alter();
    if (draft.words.length) draft.words.at(-1).ends = true;
    if (content() !== before) {
      past.push(before);
      future.splice(0);
    }
    caret = Math.min(Math.max(caret, 0), Math.max(draft.words.length - 1, 0));
    render();
    focus();
  };

  const step = (from, to) => {
    if (!from.length) return;
    to.push(content());
    Object.assign(draft, JSON.parse(from.pop()));
    caret = Math.min(caret, Math.max(draft.words.length - 1, 0));
    render();
    focus();
  };

  /* What is shown */

  const focus = () => sheet.querySelector(`[data-i="${caret}"]`)?.focus({ preventScroll: false });

  const wordButton = (word, place) => {
    const doubtful = word.probability !== null && word.probability < 0.8 ? " doubt" : "";
    const element = make("button", { type: "button", className: `word${doubtful}`, textContent: word.text, tabIndex: place === caret ? 0 : -1 });
    element.dataset.i = place;
    return element;
  };

  const render = () => {
    sheet.replaceChildren();
    let line = null;
    let before;
    draft.words.forEach((word, place) => {
      if (!line) {
        if (word.speaker !== before || !place) sheet.append(make("h3", { className: "speaker", textContent: word.speaker || "Nobody named", dir: "auto" }));
        before = word.speaker;
        line = make("p", { className: "line", dir: "auto" }, make("span", { className: "small soft number", textContent: rostrum.clock(word.start) }));
        sheet.append(line);
      }
      line.append(wordButton(word, place), " ");
      if (word.ends) line = null;
    });
    if (!draft.words.length) sheet.append(button("Add the first word", () => insert()));
    const speakers = new Set([...draft.speakers, ...draft.words.map(({ speaker }) => speaker).filter(Boolean)]);
    names.replaceChildren(...[...speakers].map((value) => make("option", { value })));
    renderMarks();
    renderPeople();
    state.textContent = isSaved() ? "" : "not saved";
  };

  const renderMarks = () => {
    marks.replaceChildren();
    if (!draft.arguments.length) return;
    const line = (argument) => {
      const marked = draft.mentioned[argument.id];
      const choice = (value, text) => {
        const element = button(text, () => mark(argument.id, value), { className: "choice" });
        element.setAttribute("aria-pressed", String(marked === value));
        element.setAttribute("aria-label", `${text}: ${argument.title}`);
        element.dataset.mark = `${argument.id} ${value}`;
        return element;
      };
      const found = argument.probability === null ? "" : ` ${argument.mentioned ? "found" : "not found"}, ${Math.round(100 * argument.probability)} %`;
      const label = argument.label === null ? "" : `; label: ${argument.label ? "mentioned" : "not mentioned"}`;
      return make("li", {}, choice(true, "Mentioned"), choice(false, "Not mentioned"), make("span", { dir: "auto" }, argument.title), make("span", { className: "small soft", textContent: found + label }));
    };
    marks.append(make("h3", { textContent: "Which arguments does the speech make?" }), make("ul", { className: "plain" }, ...draft.arguments.map(line)));
  };

  /* Who is who: a name, a role and a side for each voice. An empty choice is left to the program. */

  const ROLES = ["debater", "moderator", "questioner", "audience"];
  const SIDES = { pro: "for", con: "against" };

  const renderPeople = () => {
    people.replaceChildren();
    if (!draft.people.length) return;
    const line = (person, place) => {
      const of = person.name || person.voice;
      const set = (what, control) => {
        control.dataset.person = `${place} ${what}`;
        control.setAttribute("aria-label", `${what[0].toUpperCase()}${what.slice(1)} of ${of}`);
        control.addEventListener("change", () => name(place, what, control.value.trim() || null));
        return control;
      };
      const choices = (values, chosen) =>
        make("select", {}, make("option", { value: "", textContent: "as found" }),
          ...Object.entries(values).map(([value, textContent]) => make("option", { value, textContent, selected: value === chosen })));
      const side = set("side", choices(SIDES, person.side));
      side.disabled = Boolean(person.role) && person.role !== "debater";
      return make("li", {}, make("span", { className: "small soft", textContent: person.voice, dir: "auto" }),
        set("name", make("input", { value: person.name || "", maxLength: 100, autocomplete: "off" })),
        set("role", choices(Object.fromEntries(ROLES.map((role) => [role, role])), person.role)), side);
    };
    people.append(make("h3", { textContent: "Who is who?" }), make("ul", { className: "plain" }, ...draft.people.map(line)));
  };

  const name = (place, what, value) => {
    change(() => {
      draft.people = draft.people.map((person, at) => {
        if (at !== place) return person;
        const changed = { ...person, [what]: value };
        return what === "role" && value && value !== "debater" ? { ...changed, side: null } : changed;
      });
    });
    people.querySelector(`[data-person="${place} ${what}"]`)?.focus();
  };

  const mark = (argument, value) => {
    change(() => {
      if (draft.mentioned[argument] === value) delete draft.mentioned[argument];
      else draft.mentioned = { ...draft.mentioned, [argument]: value };
    });
    marks.querySelector(`[data-mark="${CSS.escape(`${argument} ${value}`)}"]`)?.focus();
  };

  /* What the keys do */

  /* These texts in the time of one word, each as long as its share of the letters. */
  const divided = (texts, word) => {
    const letters = texts.join("").length;
    let at = word.start;
    return texts.map((text, place) => {
      const start = at;
      at = place === texts.length - 1 ? word.end : at + ((word.end - word.start) * text.length) / letters;
      const isSame = texts.length === 1 && text === word.text;
      return { ...word, text, start, end: at, probability: isSame ? word.probability : null, ends: word.ends && place === texts.length - 1 };
    });
  };

  const write = (place, texts) =>
    draft.words.length && change(() => {
      const [word] = draft.words.splice(place, 1, ...divided(texts, draft.words[place]));
      if (!texts.length && word.ends && place) draft.words[place - 1].ends = true;
      caret = place + Math.max(texts.length - 1, 0);
    });

  const field = (value, done) => {
    const input = make("input", { className: "writing", value, size: Math.max(value.length, 6), spellcheck: true });
    input.setAttribute("aria-label", "The word");
    let isDone = false;
    const end = (isKept, next = 0) => {
      if (isDone) return;
      isDone = true;
      writing = null;
      if (isKept) done(input.value.split(/\s+/).filter(Boolean));
      else render();
      caret = Math.min(caret + next, draft.words.length - 1);
      render();
      focus();
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(true);
      else if (event.key === "Tab") end(true, event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") end(false);
      else if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        end(true);
        save();
      } else return;
      event.preventDefault();
    });
    input.addEventListener("blur", () => end(true));
    writing = { end, place: caret };
    return input;
  };

  const rewrite = () => {
    const place = caret;
    const word = draft.words[place];
    if (!word) return;
    const input = field(word.text, (texts) => write(place, texts));
    sheet.querySelector(`[data-i="${place}"]`).replaceWith(input);
    input.select();
  };

  const insert = () => {
    const place = caret;
    const before = draft.words[place] ?? { text: "", start: 0, end: 0, speaker: null, probability: null, ends: true };
    const start = before.end;
    const end = Math.max(start, draft.words[place + 1]?.start ?? start);
    const input = field("", (texts) => {
      if (!texts.length) return;
      change(() => {
        const words = divided(texts, { ...before, start, end, probability: null });
        if (draft.words[place]) draft.words[place].ends = false;
        draft.words.splice(place + 1, 0, ...words);
        caret = place + words.length;
      });
    });
    const at = sheet.querySelector(`[data-i="${place}"]`);
    if (at) at.after(" ", input);
    else sheet.replaceChildren(input);
    input.focus();
  };

  const endSentence = () => draft.words.length && change(() => {
    const word = draft.words[caret];
    const next = draft.words[caret + 1];
    if (next && (next.speaker === word.speaker || !word.ends)) word.ends = !word.ends;
  });

  const moveSentence = (by) => {
    const starts = draft.words.map((_, place) => place).filter((place) => !place || draft.words[place - 1].ends);
    const now = starts.findLastIndex((place) => place <= caret);
    moveTo(starts[Math.min(Math.max(now + by, 0), starts.length - 1)]);
  };

  const moveTo = (place) => {
    sheet.querySelector(`[data-i="${caret}"]`)?.setAttribute("tabindex", "-1");
    caret = Math.min(Math.max(place, 0), draft.words.length - 1);
    sheet.querySelector(`[data-i="${caret}"]`)?.setAttribute("tabindex", "0");
    focus();
  };

  const askSpeaker = () => {
    if (!draft.words.length) return;
    const { speaker } = draft.words[caret];
    asked.value = speaker || "";
    everywhere.textContent = speaker ? `Everywhere, for ${speaker}` : "For all words without a speaker";
    ask.hidden = false;
    asked.select();
  };

  const endAsking = () => {
    ask.hidden = true;
    focus();
  };

  ask.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = asked.value.trim() || null;
    const of = draft.words[caret].speaker;
    change(() => {
      const isAll = event.submitter?.value === "all";
      let last = caret;
      while (!isAll && draft.words[last + 1]?.speaker === of) last += 1;
      draft.words.forEach((word, place) => {
        if (isAll ? word.speaker === of : place >= caret && place <= last) word.speaker = name;
      });
      draft.words.forEach((word, place) => {
        if (draft.words[place + 1] && draft.words[place + 1].speaker !== word.speaker) word.ends = true;
      });
    });
    endAsking();
  });

  const playOrPause = () => {
    if (!player) return;
    if (player.audio.paused) player.playFrom(draft.words[caret]?.start ?? 0);
    else player.audio.pause();
  };

  const KEYS = {
    Enter: rewrite,
    F2: rewrite,
    i: insert,
    ".": endSentence,
    s: askSpeaker,
    " ": playOrPause,
    Delete: () => write(caret, []),
    Backspace: () => write(caret, []),
    ArrowLeft: () => moveTo(caret - 1),
    ArrowRight: () => moveTo(caret + 1),
    ArrowUp: () => moveSentence(-1),
    ArrowDown: () => moveSentence(1),
    Escape: () => close(),
  };
  const WITH_CONTROL = { z: () => step(past, future), y: () => step(future, past), Z: () => step(future, past), s: () => save() };

  sheet.addEventListener("keydown", (event) => {
    const action = event.target.matches(".word") && !(event.ctrlKey || event.metaKey || event.altKey) && KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
  document.addEventListener("keydown", (event) => {
    if (sheet.hidden || !(event.ctrlKey || event.metaKey) || !WITH_CONTROL[event.key]) return;
    event.preventDefault();
    WITH_CONTROL[event.key]();
  });
  ask.addEventListener("keydown", (event) => {
    if (event.key === "Escape") endAsking();
  });
  /* A click on a word ends the writing of another one. That draws all words anew, so the click would be lost. */
  sheet.addEventListener("mousedown", (event) => {
    if (!writing || !event.target.matches(".word")) return;
    event.preventDefault();
    const [place, before, { end, place: written }] = [Number(event.target.dataset.i), draft.words.length, writing];
    end(true);
    moveTo(place > written ? place + draft.words.length - before : place);
  });
  sheet.addEventListener("click", ({ target }) => target.matches(".word") && moveTo(Number(target.dataset.i)));
  sheet.addEventListener("dblclick", ({ target }) => target.matches(".word") && rewrite());
  player?.audio.addEventListener("timeupdate", () => {
    if (sheet.hidden) return;
    sheet.querySelector(".now")?.classList.remove("now");
    const place = draft.words.findLastIndex((word) => word.start <= player.audio.currentTime + 0.02);
    sheet.querySelector(`[data-i="${place}"]`)?.classList.add("now");
  });

  /* The server */

  const asking = async (method, body, query = "") => {
    try {
      const response = await fetch(address + query, { method, body, headers: body ? { "Content-Type": "application/json" } : {} });
      const answer = await response.json();
      if (response.ok) return answer;
      if (response.status === 409) showConflict(answer.document);
      rostrum.say(answer.error);
    } catch {
      rostrum.say("The server does not answer. Is `rostrum report --serve --edit` still running?");
    }
    return null;
  };

  /* Two versions: what somebody else has saved since this page was opened, and what is in this page */

  const lines = (words, mentioned, who) => {
    const sentences = [];
    let sentence = [];
    words.forEach((word) => {
      sentence.push(word.text);
      if (word.ends) sentences.push(`${word.speaker ? `${word.speaker}: ` : ""}${sentence.splice(0).join(" ")}`);
    });
    const titles = new Map(draft.arguments.map(({ id, title }) => [id, title]));
    const marked = Object.entries(mentioned).map(([id, value]) => `${value ? "Mentioned" : "Not mentioned"}: ${titles.get(id) ?? id}`);
    const named = who.map(({ voice, name: own, role, side }) => [voice, own, role, SIDES[side]].filter(Boolean).join(", "));
    return [...sentences, ...marked, ...named];
  };

  const showConflict = (theirs) => {
    const ends = new Set(theirs.sentence_ends);
    const their = lines(theirs.words.map((word, place) => ({ ...word, ends: ends.has(place + 1) })), theirs.mentioned, theirs.people);
    const own = lines(draft.words, draft.mentioned, draft.people);
    const part = (heading, some, others, choose) => {
      const different = some.filter((line) => !others.includes(line));
      return make("div", {}, make("h3", { textContent: heading }),
        make("ul", { className: "plain" }, ...different.map((textContent) => make("li", { textContent, dir: "auto" }))), choose);
    };
    const keepOwn = () => {
      ({ version } = theirs);
      conflict.hidden = true;
      save();
    };
    conflict.replaceChildren(
      make("p", { textContent: "Somebody else has saved this speech since this page was opened. Nothing of yours was saved. These lines differ:" }),
      part("Saved by somebody else", their, own, button("Take theirs", () => { taken(theirs); focus(); })),
      part("In this page", own, their, button("Save mine instead", keepOwn)),
    );
    conflict.hidden = false;
    conflict.querySelector("button").focus();
  };

  const open = async () => {
    const found = await asking("GET");
    if (!found) return;
    for (const each of [sheet, marks, people, dock]) each.hidden = false;
    if (!keys.isConnected) bar.append(keys);
    begin.hidden = transcript.hidden = true;
    document.body.classList.add("editing");
    taken(found);
    focus();
  };

  const save = async () => {
    if (isSaved()) {
      focus();
      return rostrum.say("Nothing has changed since the last save");
    }
    const ends = draft.words.flatMap((word, place) => (word.ends ? [place + 1] : []));
    const words = draft.words.map(({ ends: _, ...word }) => word);
    const found = await asking("PUT", JSON.stringify({ version, words, sentence_ends: ends, mentioned: draft.mentioned, people: draft.people }));
    if (!found) return null;
    taken(found);
    focus();
    return rostrum.say("Saved. The next `rostrum run` uses it.");
  };

  const takeBack = async () => {
    const found = await asking("DELETE", undefined, `?version=${version}`);
    if (!found) return;
    taken(found);
    focus();
    rostrum.say("The last saved correction is taken back.");
  };

  const close = () => {
    if (!isSaved()) return rostrum.say("Save with Ctrl+S, or undo, before you close");
    for (const each of [sheet, marks, people, dock, conflict]) each.hidden = true;
    keys.remove();
    begin.hidden = transcript.hidden = false;
    document.body.classList.remove("editing");
    return begin.focus();
  };

  addEventListener("beforeunload", (event) => {
    if (draft && !isSaved()) event.preventDefault();
  });
})();
