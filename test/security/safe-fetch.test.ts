import { expect, test } from "vitest";
import { EgressError } from "../../src/security/egress-error.ts";
import { createSafeFetch, fetchThrough } from "../../src/security/safe-fetch.ts";

const open = createSafeFetch({ fetch: async () => new Response("reached"), allowPrivate: [] });

async function codeOf(url: string): Promise<string> {
  return open(url).then(
    () => "reached",
    (thrown) => (thrown instanceof EgressError ? thrown.code : String(thrown)),
  );
}

test("safe fetch allows public addresses", async () => {
  for (const url of [
    "https://example.com/",
    "http://1.1.1.1/",
    "https://[2606:4700:4700::1111]/x",
    "https://a.example.com:8443",
  ]) {
    expect(`${url} ${await codeOf(url)}`).toBe(`${url} reached`);
  }
});

test("safe fetch refuses private addresses in every spelling", async () => {
  const hosts = [
    ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "１２７.0.0.1", "0", "10.1.2.3", "100.64.0.1"],
    ...["169.254.169.254", "169.254.169.254.", "100.100.100.200", "168.63.129.16", "172.16.0.1", "172.31.255.255"],
    ...["192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
    ...["224.0.0.1", "240.0.0.1", "255.255.255.255", "localhost", "LOCALHOST.", "a.localhost", "printer.local"],
    ...["metadata.google.internal", "router", "nas.home.arpa", "a..b", "loc%61lhost", "box.lan."],
    ...["[::]", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[64:ff9b::10.0.0.1]", "[fe80::1]"],
    ...["[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001:0:1::]", "[2001:db8::1]", "[fd00:ec2::254]", "[ff02::1]"],
    ...["[fec0::1]", "[100::1]", "[3fff::1]", "[5f00::1]", "[4000::1]"],
  ];
  for (const host of hosts) expect(`${host} ${await codeOf(`http://${host}/`)}`).toBe(`${host} refused`);
});

test("safe fetch refuses dangerous ports, other schemes, and credentials in the address", async () => {
  expect(await codeOf("http://example.com:22/")).toBe("refused");
  expect(await codeOf("http://example.com:6667/")).toBe("refused");
  for (const url of ["ftp://example.com/", "file:///etc/passwd", "data:,x", "https://me:secret@example.com/"]) {
    expect(await codeOf(url)).toBe("bad_request");
  }
  for (const url of ["nonsense", "", "http://", "http://[fe80::1%25eth0]/"])
    expect(await codeOf(url)).toBe("bad_request");
});

test("the guarded egress in the form of fetch keeps method, headers, body and status, and guards the address", async () => {
  const seen: [string, string, string | null, string][] = [];
  const fetch = fetchThrough(
    createSafeFetch({
      allowPrivate: [],
      fetch: async (input, init) => {
        const request = new Request(input, init);
        seen.push([request.url, request.method, request.headers.get("X-Mine"), await request.text()]);
        return new Response(null, {
          status: request.method === "PUT" ? 204 : 301,
          headers: { Location: "/elsewhere" },
        });
      },
    }),
  );
  const options = { method: "PUT", headers: { "X-Mine": "yes" }, body: "hello" };
  expect((await fetch("https://example.com/a", options)).status).toBe(204);
  expect((await fetch("https://example.com/b", { redirect: "manual" })).status).toBe(301);
  expect(seen).toEqual([
    ["https://example.com/a", "PUT", "yes", "hello"],
    ["https://example.com/b", "GET", null, ""],
  ]);
  await expect(fetch("http://127.0.0.1/")).rejects.toThrow(EgressError);
});
