"use strict";
/* What every page of the report uses. */

window.rostrum = window.rostrum || {};

/* Minutes and seconds, as on a player. */
rostrum.clock = (seconds) => {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/* Letters without accents and capitals, sign for sign, so that places in the text stay what they are. */
rostrum.plain = (text) =>
  /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : [...text].map((sign) => sign.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase()[0] || sign).join("");

/* Whether a key is for what has the focus: text that is typed, or space on a button. */
rostrum.isTyping = (event) => {
  const { target, key } = event;
  if (target.closest("input:not([type=checkbox]):not([type=range]), select, textarea, [contenteditable=true]")) return true;
  if (key === " " || key === "Enter") return Boolean(target.closest("button, a, summary, input, [role=button]"));
  return key.startsWith("Arrow") && Boolean(target.closest(".wide, [role=slider]"));
};

/* Say something to those who listen to the page, and show it for a moment. */
rostrum.say = (text) => {
  const line = document.getElementById("said");
  line.textContent = text;
  line.classList.add("shown");
  clearTimeout(rostrum.saying);
  rostrum.saying = setTimeout(() => line.classList.remove("shown"), 2500);
};
