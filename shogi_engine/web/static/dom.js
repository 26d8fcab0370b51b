// Elements of the page, pieces as pictures, and what the browser remembers.

/**
 * @template {string} K
 * @param {K} id
 * @returns {K extends keyof Elements ? Elements[K] : HTMLElement}
 */
export const $ = id => /** @type {any} */ (document.getElementById(id));

/**
 * Return a new element. Attributes that begin with "on" are listeners; false, null and undefined are left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, any>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/**
 * Return a button. Options are attributes.
 * @param {string | Node} content
 * @param {() => void} action
 * @param {Record<string, any>} options
 */
export const button = (content, action, options = {}) =>
  element("button", {type: "button", onclick: action, ...options}, content);

/** The pieces of all sets, once they are loaded. */
export const pieces = () => import("./pieces.js");

/**
 * Return a piece as a picture. name : "P", "+p" is white's
 * @param {string} name
 * @param {string} set
 */
export function koma(name, set) {
  const shown = element("span", {class: "koma", "aria-hidden": "true"});
  pieces().then(({PIECES}) => { shown.innerHTML = `<svg viewBox="-22 -25 44 51">${PIECES[set][name]}</svg>`; });
  return shown;
}

/** Private windows may remember nothing. */
export const memory = {
  /** @param {string} name @param {`${"local" | "session"}Storage`} place */
  get(name, place = "localStorage") { try { return window[place].getItem(name); } catch { return null; } },
  /** @param {string} name @param {string} value @param {`${"local" | "session"}Storage`} place */
  set(name, value, place = "localStorage") { try { window[place].setItem(name, value); } catch { /* see above */ } },
};

/** The format of files that the user chose last; at first that which most programs read. @param {State} state */
export const usual_format = ({game}) => memory.get(`format ${game}`) ?? {shogi: "kif", othello: "ggf"}[game];
