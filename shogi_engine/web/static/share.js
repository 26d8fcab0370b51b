// Links by which others join the game: to play, to watch, to continue it on another device.

import {ask, show as show_dialog} from "./dialogs.js";
import {button, element} from "./dom.js";
import {side, t} from "./words.js";

/** @param {Shared} link */
const named = link => t(`link_${link.kind}`, {side: link.side === null ? "" : side(link.side)});

/**
 * @param {Replies["links"]} shared
 * @param {Link} link
 * @param {State} state
 * @param {(text: string) => void} toast
 */
export function show({links, local}, link, state, toast) {
  /** @param {Messages["invite"]["to"]} kind @param {Side} [number] */
  const offer = (kind, number) => button(t(`link_${kind}`, {side: number === undefined ? "" : side(number)}),
    () => { ask(link, "invite", {to: kind, ...(number === undefined ? {} : {side: number})}); }, {"data-invite": `${kind}${number ?? ""}`});
  const sides = /** @type {Side[]} */ ([0, 1]).filter(number => !state.playing.on || state.playing.players[number] === null);
  show_dialog(t("shareTitle"), element("p", {class: "soft"}, t("shareNote")),
    ...(local ? [element("p", {class: "soft"}, t("shareLocal"))] : []),
    element("div", {class: "row"}, ...(state.tsume || state.setup ? [] : [...sides.map(number => offer("play", number)), offer("watch")]), offer("own")),
    element("ul", {class: "links"}, ...links.map(each => row(each, link, toast))));
}

/** @param {Shared} shared @param {Link} link @param {(text: string) => void} toast */
function row(shared, link, toast) {
  const address = element("input", {readonly: true, value: shared.address, "aria-label": named(shared), onfocus: () => address.select()});
  const copy = button(t("copy"), async () => {
    address.select();
    try { await navigator.clipboard.writeText(shared.address); } catch { document.execCommand("copy"); }
    toast(t("copied"));
  });
  const picture = element("div", {class: "qr", role: "img", "aria-label": t("qr")});
  picture.innerHTML = shared.qr;
  return element("li", {"data-kind": shared.kind}, picture, element("div", {class: "about"},
    element("p", {}, element("b", {}, named(shared)), element("span", {class: "soft"}, ` ${t("linkPages", {count: shared.pages})}`)),
    address, element("div", {class: "row"}, copy,
      button(t("revoke"), () => { ask(link, "revoke", {token: shared.token}); }, {"data-revoke": shared.token}))));
}
