// Offline, and the headers that shared memory needs and static hosts do not send. One cache for each version of the site:
// a new one takes from the old one what has not changed, as names have hashes in them. It waits until no page uses the old.

const CACHE = "shogi_engine-VERSION", FILES = ["FILES"];
const worker = /** @type {any} */ (globalThis);
const HASHED = /[.-][0-9a-f]{8}[./]/;

/** @param {string} name */
async function kept(name) {
  const cache = await caches.open(CACHE), old = HASHED.test(name) ? await caches.match(name) : undefined;
  if (old) await cache.put(name, old);
  else await cache.add(new Request(name, {cache: HASHED.test(name) ? "default" : "no-cache"}));
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(Promise.all(FILES.map(kept))));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("shogi_engine-") && name !== CACHE) await caches.delete(name);
  await worker.clients.claim();
})()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(worker.registration.scope)) return;
  event.respondWith((async () => {
    const found = await caches.match(event.request, {ignoreSearch: true}) ?? await fetch(event.request), headers = new Headers(found.headers);
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cross-Origin-Embedder-Policy", "require-corp");
    return new Response(found.body, {status: found.status, statusText: found.statusText, headers});
  })());
});
