// What a user does without a button: keys, the wheel over the board, records pasted or dropped on the page.

/** @type {Record<string, Messages["step"]["to"]>} */
const STEPS = {ArrowLeft: "back", ArrowRight: "next", ArrowUp: "above", ArrowDown: "below", Home: "first", End: "last"};
const WHEEL = 40; // pixels of scrolling to a step

/** The keys of the page, with the names of their texts. */
export const KEYS = [
  ["← →", "key_steps"], ["↑ ↓", "key_siblings"], ["Home End", "key_ends"], ["f", "flip"], ["a", "analyse"], ["Ctrl+S", "key_save"],
  ["Ctrl+O", "open"], ["Ctrl+V", "key_paste"], ["?", "help"], ["Tab, Enter", "key_board"], ["Esc", "key_escape"],
];

/** @param {Event} event */
const elsewhere = event => /** @type {Element} */ (event.target).matches?.("input, textarea, select") || Boolean(document.querySelector("dialog[open]"));

/**
 * @param {{step: (to: Messages["step"]["to"]) => void, flip: () => void, analyse: () => void, save: () => void, open: () => void,
 *   help: () => void, clear: () => void, read: (text: string) => void, file: (file: File) => void}} actions
 * @param {HTMLElement} board
 */
export function listen(actions, board) {
  document.addEventListener("keydown", event => {
    if (document.querySelector("dialog[open]") || event.altKey) return;
    const letter = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey) {
      if (letter !== "s" && letter !== "o" || event.shiftKey) return;
      if (letter === "s") actions.save();
      else actions.open();
    } else if (elsewhere(event)) return;
    else if (event.key in STEPS) actions.step(STEPS[event.key]);
    else if (letter === "f") actions.flip();
    else if (letter === "a") actions.analyse();
    else if (event.key === "?") actions.help();
    else if (event.key === "Escape") { actions.clear(); return; }
    else return;
    event.preventDefault();
  });

  let turned = 0;
  board.addEventListener("wheel", event => {
    if (event.ctrlKey || !event.deltaY) return; // a zoom
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : WHEEL * Math.sign(event.deltaY);
    turned = Math.sign(turned) === Math.sign(pixels) ? turned + pixels : pixels;
    if (Math.abs(turned) < WHEEL) return;
    actions.step(turned > 0 ? "next" : "back");
    turned = 0;
  }, {passive: false});

  document.addEventListener("paste", event => {
    const text = elsewhere(event) ? "" : event.clipboardData?.getData("text/plain")?.trim();
    if (!text) return;
    event.preventDefault();
    actions.read(text);
  });
  document.addEventListener("dragover", event => event.preventDefault());
  document.addEventListener("drop", event => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) actions.file(file);
  });
}
