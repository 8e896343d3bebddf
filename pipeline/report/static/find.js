"use strict";
/* Search within the transcript of a speech: every place where the words stand, and from one to the next. */

(() => {
  const field = document.getElementById("find");
  if (!field) return;
  const count = document.getElementById("find-count");
  const words = [...document.querySelectorAll("#text [data-w]")];
  let matches = [];
  let place = -1;

  /* The text of all words, and where each of them begins in it. */
  const starts = [];
  let text = "";
  for (const word of words) {
    starts.push(text.length);
    text += `${rostrum.plain(word.textContent)} `;
  }

  const wordAt = (position) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };

  const clear = () => {
    for (const word of words) word.classList.remove("found", "found-now");
  };

  const show = () => {
    count.textContent = field.value.trim() ? (matches.length ? `${place + 1} of ${matches.length}` : "not found") : "";
  };

  const go = (to) => {
    if (!matches.length) return show();
    place = (to + matches.length) % matches.length;
    for (const word of words) word.classList.remove("found-now");
    const [first, last] = matches[place];
    for (let word = first; word <= last; word += 1) words[word].classList.add("found-now");
    words[first].scrollIntoView({ block: "center" });
    return show();
  };

  const find = () => {
    clear();
    [matches, place] = [[], -1];
    const wanted = rostrum.plain(field.value).split(/\s+/).filter(Boolean).join(" ");
    if (wanted) {
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        const range = [wordAt(at), wordAt(at + wanted.length - 1)];
        matches.push(range);
        for (let word = range[0]; word <= range[1]; word += 1) words[word].classList.add("found");
      }
    }
    go(0);
  };

  field.addEventListener("input", find);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(place + (event.shiftKey ? -1 : 1));
    else if (event.key === "Escape") {
      field.value = "";
      find();
      field.blur();
    } else return;
    event.preventDefault();
  });
  document.getElementById("find-next").addEventListener("click", () => go(place + 1));
  document.getElementById("find-previous").addEventListener("click", () => go(place - 1));
})();
