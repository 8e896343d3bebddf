"use strict";
/* Correcting the key points of a motion's page, and the cells of its flow. What is said is kept at once, in the corpus;
   the page itself changes with the next run. */

(async () => {
  const { motion } = document.querySelector("main").dataset;
  if (motion === undefined) return;
  let judged = [];

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const button = (textContent, onclick) => make("button", { type: "button", textContent, onclick });

  const asked = async (address, options) => {
    try {
      const response = await fetch(address, options);
      const answer = await response.json();
      if (response.ok) return answer.judgements;
      rostrum.say(answer.error);
    } catch {
      rostrum.say("The server does not answer. Is `rostrum report --serve --edit` still running?");
    }
    return null;
  };

  const judge = async (judgement) => {
    const body = JSON.stringify({ motion, ...judgement });
    const answer = await asked("../judgements", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    if (!answer) return false;
    judged = answer;
    rostrum.say("Kept. The next `rostrum run` uses it.");
    return true;
  };

  /* Key points */

  const points = [...document.querySelectorAll("#key-points ~ * [data-point], [aria-labelledby='key-points'] [data-point]")];
  const sideOf = (element) => element.closest("[data-side]").dataset.side || null;
  const of = (point) => ({ kind: "key point", of: point.dataset.point, side: sideOf(point) });
  const WORDS = { rewritten: "Rewritten", merged: "Merged into", hidden: "Hidden", added: "Added" };

  const saidOf = (point) => judged.find((one) => one.kind === "key point" && one.of === point.dataset.point && one.side === sideOf(point));

  const show = (point) => {
    const said = saidOf(point);
    const line = point.querySelector(".judged");
    line.replaceChildren();
    point.classList.toggle("hidden-point", said?.judgement === "hidden" || said?.judgement === "merged");
    if (!said) return;
    line.append(`${WORDS[said.judgement]}${said.text ? `: ${said.text} ` : " "}`, button("As found", () => change(point, "as found")));
  };

  const change = async (point, judgement, text = "") => {
    if (await judge({ ...of(point), judgement, text })) show(point);
    point.querySelector(".judging button").focus();
  };

  const rewrite = (point) => {
    const input = make("input", { value: saidOf(point)?.text || point.dataset.point, maxLength: 300, autocomplete: "off" });
    input.setAttribute("aria-label", `New text of: ${point.dataset.point}`);
    const form = make("form", { className: "judging" }, input, make("button", { type: "submit", textContent: "Keep" }), button("Cancel", () => form.remove()));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text && text !== point.dataset.point) await change(point, "rewritten", text);
      form.remove();
    });
    point.append(form);
    input.select();
  };

  const merging = (point) => {
    const others = points.filter((other) => other !== point && sideOf(other) === sideOf(point));
    const select = make("select", {}, make("option", { value: "", textContent: "Merge into …" }), ...others.map((other) => make("option", { value: other.dataset.point, textContent: other.dataset.point })));
    select.setAttribute("aria-label", `Merge into another point: ${point.dataset.point}`);
    select.disabled = !others.length;
    select.addEventListener("change", async () => {
      if (select.value) await change(point, "merged", select.value);
      select.value = "";
    });
    return select;
  };

  /* A passage that does not make its point: the sentence is struck through, and does not count in the next run. */
  const rejecting = (point, heard) => {
    const speech = heard.closest(".in-speech").querySelector("a[title]").title;
    const start = Number(heard.dataset.start ?? heard.getAttribute("href").split("#at-")[1]);
    const end = Number(heard.dataset.end ?? start);
    const about = { kind: "match", of: point.dataset.point, side: sideOf(point), speech, start, end };
    const isRejected = () => judged.some((one) => one.kind === "match" && one.of === about.of && one.speech === speech && Math.abs(one.start - start) < 0.05 && /not heard|wrong/.test(one.judgement));
    const toggle = button("", async () => {
      await judge({ ...about, judgement: isRejected() ? "as found" : "not heard", text: heard.dataset.text?.slice(0, 500).trim() ?? "" });
      showState();
    });
    const showState = () => {
      toggle.textContent = isRejected() ? "Counts again" : "Not this";
      toggle.setAttribute("aria-label", `${toggle.textContent}: ${heard.dataset.text ?? "the passage"}`);
      toggle.setAttribute("aria-pressed", String(isRejected()));
    };
    toggle.className = "reject small";
    showState();
    heard.after(" ", toggle);
  };

  const equip = (point) => {
    const line = make("p", { className: "judged small" });
    point.append(line, make("div", { className: "judging small" }, button("Rewrite", () => rewrite(point)), merging(point), button("Hide", () => change(point, "hidden"))));
    for (const heard of point.querySelectorAll(".made .hear, .made .there")) rejecting(point, heard);
    show(point);
  };

  const adding = (side) => {
    const stance = side.dataset.side || null;
    const input = make("input", { maxLength: 300, autocomplete: "off", placeholder: "Another key point of this side" });
    input.setAttribute("aria-label", `Another key point: ${side.querySelector("h3")?.textContent ?? ""}`);
    const list = make("ul", { className: "plain small added" });
    const showAdded = () => list.replaceChildren(...judged.filter((one) => one.judgement === "added" && one.side === stance).map((one) => make("li", {}, `Added: ${one.text} `, button("Take back", async () => {
      await judge({ kind: "key point", judgement: "as found", side: stance, text: one.text });
      showAdded();
    }))));
    const form = make("form", { className: "judging small" }, input, make("button", { type: "submit", textContent: "Add" }));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text && (await judge({ kind: "key point", judgement: "added", side: stance, text }))) input.value = "";
      showAdded();
      input.focus();
    });
    side.append(form, list);
    showAdded();
  };

  /* Cells of the flow */

  const STATES = ["made", "extended", "answered", "conceded", "dropped", "nothing"];

  const choosing = (cell) => {
    const { point, side, speech } = cell.dataset;
    const about = { kind: "flow", of: point, side: side || null, speech };
    const said = judged.find((one) => one.kind === "flow" && one.of === point && one.speech === speech && (one.side ?? "") === side);
    const select = make("select", { className: "state-of-cell small" }, make("option", { value: "as found", textContent: "as found" }), ...STATES.map((state) => make("option", { value: state, textContent: state, selected: said?.judgement === state })));
    select.setAttribute("aria-label", `What ${speech} does with: ${point}`);
    select.addEventListener("change", async () => {
      if (await judge({ ...about, judgement: select.value })) cell.classList.toggle("judged-cell", select.value !== "as found");
    });
    cell.classList.toggle("judged-cell", Boolean(said));
    cell.append(" ", select);
  };

  judged = await asked(`../judgements?motion=${encodeURIComponent(motion)}`);
  if (!judged) return;
  points.forEach(equip);
  for (const side of document.querySelectorAll("[aria-labelledby='key-points'] [data-side]")) adding(side);
  for (const cell of document.querySelectorAll("[data-point][data-speech]")) choosing(cell);
  document.body.classList.add("judging-page");
})();
