// Diagrams of the position as files, and pages to print. The server draws; a PNG is made here.

import {ask, save_blob} from "./dialogs.js";
import {button, element} from "./dom.js";
import {t} from "./words.js";

const ZOOM = 3; // pixels of a PNG for a pixel of the picture
const STYLES = Object.entries({colour: "diagram_colour", book: "diagram_book"}), KINDS = ["svg", "png"];

/** What the dialog for saving offers besides the formats of records. @param {State} state @param {Link} link */
export function offers(state, link) {
  /** @param {string} style @param {string} kind */
  const diagram = (style, kind) => button(kind.toUpperCase(), () => { ask(link, "diagram", /** @type {Messages["diagram"]} */ ({style, kind})); }, {"data-diagram": `${style} ${kind}`});
  const rows = STYLES.map(([style, word]) => element("p", {class: "row"}, element("span", {}, t(word)), ...KINDS.map(kind => diagram(style, kind))));
  if (state.role.owner && state.summary) rows.push(element("p", {class: "row"}, sheet(0, link)));
  return rows;
}

/** A button for a page to print: all tsume of a length, or with 0 the mistakes of the judged game. @param {number} length @param {Link} link */
export const sheet = (length, link) =>
  button(t(length ? "printSheet" : "printMistakes"), () => { ask(link, "sheet", {length}); }, {"data-sheet": length});

/** @param {{name: string, svg: string}} diagram */
export async function save({name, svg}) {
  const picture = new Blob([svg], {type: "image/svg+xml"});
  save_blob(name, name.endsWith(".png") ? await png(svg) : picture);
}

/** @param {string} svg @returns {Promise<Blob>} */
async function png(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = ZOOM * image.width;
  canvas.height = ZOOM * image.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => { canvas.toBlob(blob => blob ? resolve(blob) : reject(new Error("no picture")), "image/png"); });
}
