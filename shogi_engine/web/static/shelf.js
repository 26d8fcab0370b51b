// What the browser keeps for the page without a server.

export const SAVED = "games", SOLVED = "solved";

/** What the browser keeps: games by their names, solved problems by their positions. */
export class Shelf {
  #base = new Promise((/** @type {(base: IDBDatabase | null) => void} */ done) => {
    const asked = indexedDB.open("shogi_engine", 1);
    asked.onupgradeneeded = () => { asked.result.createObjectStore(SAVED, {keyPath: "id"}); asked.result.createObjectStore(SOLVED); };
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => done(null); // a private window
  }).catch(() => null);
  /** @param {string} store @param {"get" | "getAll" | "getAllKeys" | "put" | "delete"} what @param {any[]} given @returns {Promise<any>} undefined if nothing can be kept */
  async do(store, what, ...given) {
    const base = await this.#base;
    if (!base) return undefined;
    return new Promise((done, fail) => {
      const written = base.transaction(store, "readwrite"), asked = /** @type {any} */ (written.objectStore(store))[what](...given);
      written.oncomplete = () => done(asked.result);
      written.onabort = () => fail(written.error); // a full disk may be found only at the end
    });
  }
  /** Keep a game; return false if another page has kept it since this one did. @param {any} game @param {any} more to be kept with it @returns {Promise<boolean>} */
  async keep(game, more) {
    const base = await this.#base;
    if (!base) return true;
    return new Promise((done, fail) => {
      const written = base.transaction(SAVED, "readwrite"), games = written.objectStore(SAVED), {id} = game, found = games.get(id);
      let mine = true;
      found.onsuccess = () => {
        mine = (found.result?.time ?? game.time) === game.time;
        if (mine) games.put({...game, ...more, id, time: game.time = Date.now() / 1000});
      };
      written.oncomplete = () => done(mine);
      written.onabort = () => fail(written.error);
    });
  }
  get open() { return this.#base; }
}
