import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { type DataKey, readDataKey } from "../../src/security/data-key.ts";
import { fileLink, type LinkedFile } from "../../src/services/file-links.ts";
import { call, env } from "../flow/client.ts";

const ORIGIN = "https://isopod.test";
const dataKey = readDataKey(env.ISOPOD_DATA_KEY) as DataKey;

function link(file: LinkedFile, now = Date.now()): Promise<string> {
  return fileLink(file, "report.txt", { dataKey, origin: ORIGIN, now });
}

async function store(path: string, text: string): Promise<string> {
  await call("PUT", `/v1/agents/main/workspace/${path}`, text, { "Content-Type": "text/plain" });
  const head = await call("HEAD", `/v1/agents/main/workspace/${path}`);
  return head.headers.get("ETag")?.replaceAll('"', "") ?? "";
}

test("a signed link gives a file to anybody who has it", async () => {
  const etag = await store("shared.txt", "for you");
  const response = await SELF.fetch(await link({ kind: "file", agentId: "main", path: "shared.txt", etag }));
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("for you");
  expect(response.headers.get("Content-Security-Policy")).toContain("sandbox");
});

test("a link to a file that was changed since says so, and so does one that has expired", async () => {
  const etag = await store("changing.txt", "first");
  const url = await link({ kind: "file", agentId: "main", path: "changing.txt", etag });
  await store("changing.txt", "second");
  const changed = await SELF.fetch(url);
  expect(changed.status).toBe(410);
  expect(await changed.json()).toMatchObject({ error: { code: "gone", hint: expect.stringContaining("again") } });
  const old = await link({ kind: "text", key: "any" }, Date.now() - 8 * 24 * 60 * 60_000);
  expect((await SELF.fetch(old)).status).toBe(410);
});

test("a link that the Worker has not made gives nothing, whatever it names", async () => {
  const url = await link({ kind: "text", key: "agents/main/workspace/MEMORY.md" });
  const [, claims = "", signature = ""] = /files\/([^.]+)\.([^/]+)\//.exec(url) ?? [];
  const other = Buffer.from(JSON.stringify([9_999_999_999, { kind: "text", key: "x" }])).toString("base64url");
  for (const forged of [`${other}.${signature}`, `${claims}.${signature.slice(1)}`, claims, "x.y"]) {
    expect((await SELF.fetch(`${ORIGIN}/files/${forged}/a.txt`)).status, forged).toBe(404);
  }
});
