"use strict";
/* Tables that sort by their headings and are filtered by the form above them. */

(() => {
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.value);
  };

  const compare = (one, other) =>
    typeof one === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true });

  const sortBy = (table, heading) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => [valueOf(row, heading.cellIndex), row]);
    keyed.sort(([one], [other]) => (descending ? -1 : 1) * compare(one, other));
    body.append(...keyed.map(([, row]) => row));
  };

  const filter = (form, table) => {
    const wanted = Object.fromEntries(new FormData(form));
    const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      const fits = Object.entries(wanted).every(
        ([key, value]) => key === "text" || !value || row.dataset[key] === value,
      );
      row.hidden = !(fits && words.every((word) => text.includes(word)));
      shown += row.hidden ? 0 : 1;
    }
    form.querySelector("output").textContent = `${shown} shown`;
  };

  for (const button of document.querySelectorAll("th button")) {
    button.addEventListener("click", () => sortBy(button.closest("table"), button.closest("th")));
  }
  for (const form of document.querySelectorAll("form[data-for]")) {
    const table = document.getElementById(form.dataset.for);
    form.addEventListener("input", () => filter(form, table));
    form.addEventListener("submit", (event) => event.preventDefault());
    filter(form, table);
  }
})();
