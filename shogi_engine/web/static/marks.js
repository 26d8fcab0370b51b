// Arrows and circles of one's own: drawn with the right mouse button, cleared by a click on the board or Escape. Each
// position of the game has its own until the page is left.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {{from: string, to: string, tone: string}} Mark */

export class Marks {
  /** @type {Map<string, Mark[]>} */
  #kept = new Map();
  #position = "";
  /** @type {{square: string, id: number} | null} */
  #press = null;

  /**
   * @param {HTMLElement} root the board
   * @param {(event: PointerEvent) => Element | undefined} area_at the square under the pointer
   */
  constructor(root, area_at) {
    this.root = root;
    root.addEventListener("contextmenu", event => event.preventDefault());
    root.addEventListener("pointerdown", event => {
      const square = event.pointerType === "mouse" ? square_of(area_at(event)) : "";
      if (event.button === 2 && square) this.#press = {square, id: event.pointerId};
      else if (event.button === 0) this.clear();
    });
    addEventListener("pointerup", event => {
      const press = this.#press;
      if (!press || press.id !== event.pointerId || event.button !== 2) return;
      this.#press = null;
      const to = square_of(area_at(event));
      if (to) this.#toggle({from: press.square, to, tone: event.shiftKey ? "red" : event.altKey ? "blue" : "green"});
    });
  }

  clear() {
    if (this.#kept.delete(this.#position)) this.#draw();
  }

  /** @param {string} position the name of the position that the board shows now */
  show(position) {
    this.#position = position;
    this.#draw();
  }

  /** @param {Mark} mark */
  #toggle(mark) {
    const marks = this.#kept.get(this.#position) ?? [];
    const others = marks.filter(each => each.from !== mark.from || each.to !== mark.to);
    const same = marks.some(each => each.from === mark.from && each.to === mark.to && each.tone === mark.tone);
    this.#kept.set(this.#position, same ? others : [...others, mark]);
    this.#draw();
  }

  #draw() {
    const svg = this.root.querySelector("svg"), first = svg?.querySelector("rect.square");
    svg?.querySelector(".own-marks")?.remove();
    const marks = this.#kept.get(this.#position);
    if (!svg || !first || !marks?.length) return;
    const layer = document.createElementNS(SVG, "g");
    layer.setAttribute("class", "own-marks");
    layer.append(...marks.flatMap(mark => this.#shape(mark) ?? []));
    first.before(layer);
  }

  /** @param {string} square @returns {[number, number, number] | null} the middle of a square, and its size */
  #middle(square) {
    const area = this.root.querySelector(`rect.square[data-square="${square}"]:not([data-side])`);
    if (!area) return null;
    const [x, y, size] = ["x", "y", "width"].map(name => Number(area.getAttribute(name)));
    return [x + size / 2, y + size / 2, size];
  }

  /** @param {Mark} mark */
  #shape({from, to, tone}) {
    const start = this.#middle(from), end = this.#middle(to);
    if (!start || !end) return null;
    const [x, y, size] = end, path = document.createElementNS(SVG, "path");
    path.setAttribute("class", tone);
    const radius = size * 0.44;
    if (from === to) path.setAttribute("d", `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`);
    else {
      const long = Math.hypot(x - start[0], y - start[1]), [dx, dy] = [(x - start[0]) / long, (y - start[1]) / long];
      const head = size * 0.3, [hx, hy] = [x - dx * head, y - dy * head];
      path.setAttribute("d", `M${start[0]} ${start[1]}L${x} ${y}M${hx - dy * head * 0.6} ${hy + dx * head * 0.6}L${x} ${y}L${hx + dy * head * 0.6} ${hy - dx * head * 0.6}`);
    }
    return path;
  }
}

/** @param {Element | undefined} area */
const square_of = area => area instanceof SVGElement && !area.dataset.side ? area.dataset.square ?? "" : "";
