// Words of players in the page's sentences: a tap says what they mean. The glossary of the docs has the same words.

import {button} from "./dom.js";
import {GLOSSARY} from "./meanings.js";
import {spoken} from "./words.js";

const APART = "button, select, label, summary, textarea, svg, #status, #heard, #toast";
/** @type {Record<string, {pattern: RegExp, meanings: Map<string, string>}>} */
const known = {};

/** @param {string} language */
function words(language) {
  if (language in known) return known[language];
  const meanings = new Map(GLOSSARY[language].filter(row => !row[2]).flatMap(([names, meaning]) => names.replace(/ ?\([^)]*\)/g, "").split(", ")
    .map(name => /** @type {[string, string]} */ ([name.toLowerCase(), meaning]))).filter(([name]) => name.length > 1 && !name.includes(" N")));
  const names = [...meanings.keys()].sort((one, other) => other.length - one.length).map(name => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return known[language] = {meanings, pattern: language === "ja" ? new RegExp(`(${names})`, "g") : new RegExp(`\\b(${names})(?=s?\\b)`, "gi")};
}

/** Make the first of each known word in a paragraph a button. @param {Element} paragraph @param {(text: string) => void} tell */
function explain(paragraph, tell) {
  const {pattern, meanings} = words(spoken()), seen = new Set([...paragraph.querySelectorAll(".word")].map(each => each.textContent?.toLowerCase())), walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const found = node.parentElement?.closest(APART) ? undefined : [...(node.textContent ?? "").matchAll(pattern)].find(each => !seen.has(each[1].toLowerCase()));
    if (!found) continue;
    const name = found[1].toLowerCase();
    seen.add(name);
    const rest = /** @type {Text} */ (node).splitText(found.index);
    rest.splitText(found[1].length);
    rest.replaceWith(button(found[1], () => tell(`${found[1]}: ${meanings.get(name)}`), {class: "word"}));
    walker.currentNode = paragraph;
  }
}

/** Explain the paragraphs of a part of the page, now and whenever they change. @param {Element} part @param {(text: string) => void} tell */
export function watch(part, tell) {
  const all = () => { for (const each of part.querySelectorAll("p")) if (!each.closest(APART)) explain(each, tell); };
  new MutationObserver(all).observe(part, {childList: true, subtree: true});
  all();
}
