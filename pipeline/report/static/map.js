"use strict";
/* The argument map: the lines of the box that is pointed at, or has the focus, stand out. */

for (const map of document.querySelectorAll(".argument-map")) {
  const links = [...map.querySelectorAll(".map-link")];
  const trace = (box) => {
    const anchor = box?.getAttribute("href").slice(1);
    map.classList.toggle("tracing", Boolean(box));
    for (const link of links) link.classList.toggle("traced", Boolean(box) && link.dataset.ends.split(" ").includes(anchor));
  };
  for (const kind of ["pointerover", "focusin"]) map.addEventListener(kind, (event) => trace(event.target.closest(".map-box")));
  for (const kind of ["pointerleave", "focusout"]) map.addEventListener(kind, () => trace(null));
}
