import { expect, test } from "vitest";
import { createStreamingFetch } from "../../src/security/streaming-fetch.ts";

const answering = (answer: () => Response, more = {}) =>
  createStreamingFetch({ fetch: async () => answer(), allowPrivate: [], ...more });

test("an answer is given while it still comes, and breaks off once it is too long", async () => {
  const chunks = [new Uint8Array(6), new Uint8Array(6)];
  const stream = () =>
    new Response(new ReadableStream({ pull: (c) => (chunks[0] ? c.enqueue(chunks.shift()) : c.close()) }));
  const { body } = await answering(stream, { maxBytes: 10 })("https://example.com/");
  const reader = body!.getReader();
  expect((await reader.read()).value).toHaveLength(6);
  await expect(reader.read()).rejects.toThrow("is larger than 10 bytes");
});

test("private addresses are refused, and a redirect is not followed", async () => {
  const fetch = answering(() => new Response(null, { status: 302, headers: { Location: "http://10.0.0.1/" } }));
  await expect(fetch("http://10.0.0.1/")).rejects.toMatchObject({ code: "refused" });
  expect((await fetch("https://example.com/")).status).toBe(302);
});

test("a server that does not begin to answer in time is given up, and the caller's own abort is passed on", async () => {
  const never: typeof globalThis.fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      const giveUp = () => reject(init?.signal?.reason);
      if (init?.signal?.aborted) giveUp();
      init?.signal?.addEventListener("abort", giveUp);
    });
  const fetch = createStreamingFetch({ fetch: never, allowPrivate: [], headMs: 5 });
  await expect(fetch("https://example.com/")).rejects.toMatchObject({ code: "timed_out" });
  const own = new AbortController();
  const asked = createStreamingFetch({ fetch: never, allowPrivate: [] })("https://example.com/", {
    signal: own.signal,
  });
  own.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
});
