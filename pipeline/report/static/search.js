"use strict";
/* Search over the transcripts of all speeches: they come as scripts, one after the other, since a page opened from disk
   may load scripts but not data. */

(() => {
  const main = document.querySelector("main");
  const results = document.getElementById("results");
  const count = document.getElementById("count");
  const more = document.getElementById("more");
  const field = document.querySelector("main input[type=search]");
  const shards = Number(main.dataset.shards);
  const PAGE = 100;
  const loaded = [];
  let found = [];
  let shown = 0;

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  /* A search has words that all must stand in a sentence, and phrases in quotes. */
  const parsed = (query) =>
    [...rostrum.plain(query).matchAll(/"([^"]+)"|[^\s"]+/g)].map(([word, phrase]) => (phrase || word).trim()).filter(Boolean);

  const marked = (text, wanted) => {
    const plain = rostrum.plain(text);
    const places = [];
    for (const each of wanted)
      for (let at = plain.indexOf(each); at >= 0; at = plain.indexOf(each, at + each.length)) places.push([at, at + each.length]);
    places.sort(([one], [other]) => one - other);
    const signs = [...text];
    const parts = [];
    let end = 0;
    for (const [from, to] of places) {
      if (from < end) continue;
      parts.push(signs.slice(end, from).join(""), make("mark", { textContent: signs.slice(from, to).join("") }));
      end = to;
    }
    return [...parts, signs.slice(end).join("")];
  };

  const line = ({ speech, sentence, wanted }) => {
    const [start, end, text] = sentence;
    const hear = make("button", { type: "button", className: "hear", textContent: rostrum.clock(start) });
    Object.assign(hear.dataset, { audio: speech.audio || "", start, end, label: speech.label, text, href: speech.href });
    hear.setAttribute("aria-label", `Play ${speech.label} at ${rostrum.clock(start)}`);
    const time = speech.audio ? hear : make("span", { className: "small soft number", textContent: rostrum.clock(start) });
    const link = make("a", { href: `${speech.href}#t=${start}`, dir: "auto" }, ...marked(text, wanted));
    return make("li", {}, time, link);
  };

  const heading = (speech) => {
    const parts = [make("a", { href: speech.href, textContent: speech.label, dir: "auto" })];
    if (speech.side) parts.push(" ", make("span", { className: `pill ${speech.stance}`, textContent: speech.side }));
    if (speech.motion) parts.push(" ", make("span", { className: "small soft", textContent: speech.motion, dir: "auto" }));
    return make("h2", {}, ...parts);
  };

  const showMore = () => {
    for (const each of found.slice(shown, shown + PAGE)) {
      let group = results.lastElementChild;
      if (group?.dataset.speech !== each.speech.href) {
        group = make("section", {}, heading(each.speech), make("ul", { className: "plain sentences" }));
        group.dataset.speech = each.speech.href;
        results.append(group);
      }
      group.lastElementChild.append(line(each));
    }
    shown = Math.min(shown + PAGE, found.length);
    more.hidden = shown >= found.length;
    more.textContent = `Show more of ${found.length}`;
  };

  const search = () => {
    const wanted = parsed(field.value);
    [found, shown] = [[], 0];
    results.replaceChildren();
    for (const speech of wanted.length ? loaded.flat() : [])
      speech.sentences.forEach((sentence, place) => {
        if (wanted.every((each) => speech.plain[place].includes(each))) found.push({ speech, sentence, wanted });
      });
    const speeches = new Set(found.map(({ speech }) => speech.href)).size;
    const waiting = loaded.length < shards ? ` (read ${loaded.length} of ${shards} parts)` : "";
    const sentences = `${found.length} ${found.length === 1 ? "sentence" : "sentences"} in ${speeches} ${speeches === 1 ? "speech" : "speeches"}`;
    const told = found.length || waiting ? `${sentences}${waiting}` : "No sentence has all of that. Try fewer words.";
    count.textContent = wanted.length ? told : "";
    showMore();
  };

  const load = (number) => {
    if (number >= shards) return search();
    const script = make("script", { src: `data/search-${number}.js` });
    script.addEventListener("load", () => {
      const part = rostrum.search;
      for (const speech of part) speech.plain = speech.sentences.map(([, , text]) => rostrum.plain(text));
      loaded.push(part);
      search();
      load(number + 1);
    });
    return document.body.append(script);
  };

  field.value = new URLSearchParams(location.search).get("q") || "";
  field.addEventListener("input", () => {
    search();
    try {
      history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
    } catch {
      /* a page opened from disk may not change its address */
    }
  });
  field.form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", showMore);
  load(0);
})();
