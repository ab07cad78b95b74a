import { expect, test } from "vitest";
import { EgressError } from "../../src/security/egress-error.ts";
import { createDnsLookup } from "../../src/security/name-lookup.ts";
import { createSafeFetch, type SafeFetchOptions, type SafeRequest } from "../../src/security/safe-fetch.ts";
import { at, heard, outsideHost, serve } from "./outside-lab.ts";

/** Public names of the tests lead to the server on loopback, as if it were on the internet; all else goes where it says. */
const internet: typeof fetch = (input, init) => {
  const url = new URL(String(input));
  return fetch(url.hostname.endsWith(".example") ? `http://${outsideHost}${url.pathname}${url.search}` : url, init);
};

function guard(more: Partial<SafeFetchOptions> = {}) {
  return createSafeFetch({ fetch: internet, allowPrivate: [], ...more });
}

async function failure(url: string, request: SafeRequest = {}, more: Partial<SafeFetchOptions> = {}) {
  return guard(more)(url, request).then(
    ({ status }) => `answered ${status}`,
    (thrown) => (thrown instanceof EgressError ? thrown.code : `threw ${thrown}`),
  );
}

test("safe fetch returns the whole answer with status, headers and final address", async () => {
  await serve("sf-plain", { "a?b=1": { status: 418, headers: { "X-Tea": "green" }, body: "短い" } });
  const answer = await guard()("http://shop.example/sf-plain/a?b=1");
  expect(answer).toMatchObject({ status: 418, statusText: "I'm a Teapot", url: "http://shop.example/sf-plain/a?b=1" });
  expect(answer.headers["x-tea"]).toBe("green");
  expect(new TextDecoder().decode(answer.body)).toBe("短い");
});

test("safe fetch does not follow a redirect to a private address", async () => {
  const targets = [
    "http://127.0.0.1:1/",
    `http://${outsideHost}/sf-in/secret`,
    "http://169.254.169.254/latest/meta-data/",
  ];
  for (const [n, location] of [...targets, "http://[::1]/", "//localhost/", "file:///etc/passwd"].entries()) {
    await serve("sf-in", { [`${n}`]: { status: 302, headers: { Location: location } }, secret: { body: "inside" } });
    expect(await failure(`http://shop.example/sf-in/${n}`)).toBe(
      location.startsWith("file") ? "bad_request" : "refused",
    );
    expect((await heard("sf-in")).map(({ path }) => path)).not.toContain("secret");
  }
});

test("safe fetch reaches a private host that an owner allowed, at that port only", async () => {
  await serve("sf-own", { x: { body: "mine" } });
  expect(await failure(at("sf-own", "x"))).toBe("refused");
  expect(await failure(at("sf-own", "x"), {}, { allowPrivate: [outsideHost] })).toBe("answered 200");
  expect(await failure("http://127.0.0.1:9/", {}, { allowPrivate: [outsideHost] })).toBe("refused");
  expect(await failure("http://printer.local:8631/", {}, { allowPrivate: ["PRINTER.local:8631"] })).toBe("unreachable");
});

test("safe fetch follows three redirects, not four; with maxRedirects 0 it returns the redirect", async () => {
  const to = (n: number) => ({ status: 302, headers: { Location: `/sf-hops/${n}` } });
  await serve("sf-hops", { 0: to(1), 1: to(2), 2: to(3), 3: { body: "there" }, start: to(0) });
  expect((await guard()("http://shop.example/sf-hops/0")).url).toBe("http://shop.example/sf-hops/3");
  expect(await failure("http://shop.example/sf-hops/start")).toBe("too_many_redirects");
  expect(await guard()("http://shop.example/sf-hops/0", { maxRedirects: 0 })).toMatchObject({ status: 302 });
  expect(await failure("http://shop.example/sf-hops/start", { maxRedirects: 9 })).toBe("too_many_redirects");
});

test.for([
  [301, "POST", "GET"],
  [302, "POST", "GET"],
  [303, "PUT", "GET"],
  [303, "HEAD", "HEAD"],
  [302, "PUT", "PUT"],
  [307, "POST", "POST"],
  [308, "PATCH", "PATCH"],
] as const)(
  "after %i a %s becomes a %s, and keeps its body only where it stays what it is",
  async ([status, from, to]) => {
    const place = `sf-${status}-${from}`;
    await serve(place, { a: { status, headers: { Location: "b" } }, b: { echo: true } });
    await guard()(`http://shop.example/${place}/a`, {
      method: from,
      body: "some words",
      headers: { "Content-Type": "x/y" },
    });
    const [, second] = await heard(place);
    const keeps = from === to && from !== "HEAD";
    expect(second).toMatchObject({ method: to, body: keeps ? "some words" : "" });
    if (to === "GET") expect(second?.headers).not.toHaveProperty("content-type");
  },
);

test("safe fetch sends only harmless headers to another origin", async () => {
  const headers = {
    Authorization: "Bearer s3cret",
    Cookie: "a=b",
    "X-Api-Key": "s3cret",
    Accept: "text/plain",
    "User-Agent": "test",
  };
  await serve("sf-origin", {
    near: { status: 307, headers: { Location: "http://shop.example/sf-origin/end" } },
    far: { status: 307, headers: { Location: "https://other.example/sf-origin/end" } },
    end: { echo: true },
  });
  await guard()("http://shop.example/sf-origin/near", { headers });
  await guard()("http://shop.example/sf-origin/far", { headers });
  const [, near, , far] = await heard("sf-origin");
  expect(near?.headers).toMatchObject({ authorization: "Bearer s3cret", cookie: "a=b", "x-api-key": "s3cret" });
  expect(JSON.stringify(far)).not.toMatch(/s3cret|a=b/);
  expect(far?.headers).toMatchObject({ accept: "text/plain", "user-agent": "test" });
});

test("safe fetch drops connection headers and refuses proxy methods", async () => {
  await serve("sf-conn", { x: { echo: true } });
  const headers = { Host: "169.254.169.254", Upgrade: "websocket", Connection: "Upgrade", "X-Mine": "1" };
  expect(await guard()("http://shop.example/sf-conn/x", { headers })).toMatchObject({ status: 200 });
  const [request] = await heard("sf-conn");
  expect(request?.headers).toMatchObject({ host: outsideHost, "x-mine": "1" });
  expect(request?.headers).not.toHaveProperty("upgrade");
  expect(await failure("http://shop.example/sf-conn/x", { method: "CONNECT" })).toBe("bad_request");
  expect(await failure("http://shop.example/sf-conn/x", { headers: { "X-Bad": "a\nb" } })).toBe("bad_request");
  expect(await failure("http://shop.example/sf-conn/x", { headers: { "X-Bad": "é" } })).toBe("bad_request");
});

test("safe fetch gives up on too large an answer, also without a Content-Length", async () => {
  const megabyte = 1024 * 1024;
  await serve("sf-large", { small: { bytes: megabyte }, large: { bytes: 64 * megabyte } });
  const limits = { maxBytes: megabyte };
  expect(await failure("http://shop.example/sf-large/small", {}, { limits })).toBe("answered 200");
  expect(await failure("http://shop.example/sf-large/large", {}, { limits })).toBe("too_large");
  expect(await failure("http://shop.example/sf-large/small", { maxBytes: 10 }, { limits })).toBe("too_large");
  expect(await failure("http://shop.example/sf-large/large", { maxBytes: 1e9 }, { limits })).toBe("too_large");
});

test("safe fetch times out before and within the answer", async () => {
  await serve("sf-slow", { head: { hang: "head" }, body: { hang: "body" } });
  for (const path of ["head", "body"]) {
    expect(await failure(`http://shop.example/sf-slow/${path}`, { timeoutMs: 100 })).toBe("timed_out");
  }
});

test("safe fetch rejects with the reason of the caller's abort", async () => {
  await serve("sf-off", { head: { hang: "head" }, body: { hang: "body" } });
  for (const path of ["head", "body"]) {
    const calling = new AbortController();
    const asked = guard()(`http://shop.example/sf-off/${path}`, { signal: calling.signal });
    setTimeout(() => calling.abort(new Error("enough")), 50);
    await expect(asked).rejects.toThrow("enough");
  }
  await expect(guard()("http://shop.example/", { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
});

test("safe fetch reports an unreachable host without repeating the address", async () => {
  const error = await guard({ allowPrivate: ["127.0.0.1:9999"] })("http://127.0.0.1:9999/path?key=s3cret").catch(
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ code: "unreachable", message: "127.0.0.1:9999 did not answer." });
  expect(JSON.stringify(error) + error.stack).not.toContain("s3cret");
});

test("safe fetch refuses a name if any of its addresses is private", async () => {
  const dns = (...records: [type: number, data: string][]) => ({
    headers: { "Content-Type": "application/dns-json" },
    body: JSON.stringify({ Status: 0, Answer: records.map(([type, data]) => ({ name: "x", type, TTL: 1, data })) }),
  });
  await serve("sf-names", {
    "dns?name=good.example&type=A": dns([5, "alias.example."], [1, "93.184.215.14"]),
    "dns?name=good.example&type=AAAA": dns([28, "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]),
    "dns?name=inside.example&type=A": dns([1, "93.184.215.14"], [1, "10.0.0.7"]),
    "dns?name=inside.example&type=AAAA": dns(),
    "dns?name=six.example&type=A": dns([1, "93.184.215.14"]),
    "dns?name=six.example&type=AAAA": dns([28, "fd00::1"]),
    "dns?name=none.example&type=A": { body: '{"Status":3}' },
    "dns?name=none.example&type=AAAA": { body: '{"Status":3}' },
    "dns?name=half.example&type=A": dns([1, "93.184.215.14"]),
    "dns?name=half.example&type=AAAA": { status: 503 },
    "dns?name=odd.example&type=A": { body: "<html>" },
    "dns?name=odd.example&type=AAAA": { body: "<html>" },
    "dns?name=hop.example&type=A": dns([1, "93.184.215.14"]),
    "dns?name=hop.example&type=AAAA": dns(),
    page: { body: "hello" },
    hop: { status: 302, headers: { Location: "http://inside.example/sf-names/page" } },
  });
  const lookup = createDnsLookup(at("sf-names", "dns"), fetch);
  const tried = async (name: string, path = "page") => failure(`http://${name}/sf-names/${path}`, {}, { lookup });
  expect(await tried("good.example")).toBe("answered 200");
  expect(await tried("inside.example")).toBe("refused");
  expect(await tried("six.example")).toBe("refused");
  for (const name of ["none.example", "half.example", "odd.example"]) expect(await tried(name)).toBe("unresolved");
  expect(await tried("hop.example", "hop")).toBe("refused");
});
