"use strict";
/* The flow by keyboard: arrows move from cell to cell, Enter plays or opens, D goes to the next point without an answer. */

(() => {
  const rows = [...document.querySelectorAll("tr, .flow-row")]
    .map((row) => [...row.querySelectorAll("[data-cell]")])
    .filter((cells) => cells.length);
  if (!rows.length) return;
  rows[0][0].tabIndex = 0;

  const focus = (cell) => {
    for (const each of document.querySelectorAll("td[data-cell][tabindex='0']")) each.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  };

  const nextDropped = (from) => {
    const dropped = [...document.querySelectorAll("td.dropped, .flow-row:has(.strip .dropped) > summary")];
    const after = dropped.find((cell) => !from || from.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING);
    if (after || dropped[0]) focus(after || dropped[0]);
    else rostrum.say("Every point has an answer");
  };

  const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    const cell = event.target.closest("[data-cell]");
    if (event.key === "d") nextDropped(cell);
    else if (cell === event.target && MOVES[event.key]) {
      const row = rows.findIndex((cells) => cells.includes(cell));
      const [down, right] = MOVES[event.key];
      const cells = rows[Math.min(Math.max(row + down, 0), rows.length - 1)];
      focus(cells[Math.min(Math.max(rows[row].indexOf(cell) + right, 0), cells.length - 1)]);
    } else if (cell === event.target && event.key === "Enter" && cell.matches("td")) {
      (cell.querySelector(".hear") || cell.querySelector("a"))?.click();
    } else return;
    event.preventDefault();
  });
})();
