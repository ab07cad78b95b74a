import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { bytesOf, skillText, tarGzOf, zipOf } from "../skills/install/archives.ts";
import { call } from "./client.ts";

const SKILLS = "/v1/agents/main/skills";

/** Uploads an archive. */
async function upload(archive: Uint8Array<ArrayBuffer>, query = "", type = "application/zip") {
  const request = new Request(`https://isopod.test${SKILLS}${query}`, {
    method: "POST",
    headers: { Authorization: "Bearer test-token", "Content-Type": type },
    body: archive,
  });
  const { SELF } = await import("cloudflare:test");
  return told(await SELF.fetch(request));
}

async function told(response: Response) {
  return { status: response.status, body: await response.json<any>() };
}

const zip = (name: string, files: Record<string, string> = {}) => zipOf({ "SKILL.md": skillText(name), ...files });

describe("the API of installs", () => {
  test("an upload is installed, told, verified, audited and removed", async () => {
    const { status, body } = await upload(zip("walk", { "scripts/a.sh": "echo a" }));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: "walk",
      folder: "walk",
      location: "skills/walk/SKILL.md",
      global: false,
      outcome: "installed",
      version: expect.stringMatching(/^sha256:[0-9a-f]{16}$/),
      source: { kind: "upload" },
      signature: { kind: "unsigned" },
      modified: false,
      fileCount: 2,
    });
    expect((await upload(zip("walk", { "scripts/a.sh": "echo a" }))).body.outcome).toBe("current");
    expect(await told(await call("POST", `${SKILLS}/walk/verify`))).toMatchObject({
      status: 200,
      body: {
        ok: true,
        files: [
          { path: "SKILL.md", status: "ok" },
          { path: "scripts/a.sh", status: "ok" },
        ],
      },
    });
    expect(await told(await call("DELETE", `${SKILLS}/walk`))).toMatchObject({
      status: 200,
      body: { outcome: "removed" },
    });
    expect((await call("GET", "/v1/agents/main/workspace/skills/walk/SKILL.md")).status).toBe(404);
    const { entries } = await (await call("GET", "/v1/audit?kind=skill")).json<any>();
    expect(entries.map(({ subject, by }: any) => `${by}: ${subject}`)).toEqual([
      "api:token: removed walk",
      "api:token: installed walk",
    ]);
    expect(entries[1]).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      detail: expect.stringContaining("an upload"),
    });
  });

  test("a .tar.gz is known by its bytes, and goes to all agents where that is asked", async () => {
    const archive = await tarGzOf({ "top/SKILL.md": skillText("everywhere") });
    const { status, body } = await upload(archive, "?global=true", "application/octet-stream");
    expect([status, body.location, body.global]).toEqual([201, "skills://managed/everywhere/SKILL.md", true]);
    expect(await env.FILES.head("skills/managed/everywhere/SKILL.md")).not.toBeNull();
    expect(await told(await call("POST", `${SKILLS}/everywhere/verify`))).toMatchObject({
      status: 404,
      body: { error: { hint: expect.stringContaining("`global`") } },
    });
    expect((await call("DELETE", `${SKILLS}/everywhere?global=true`)).status).toBe(200);
  });

  test("what is refused says what is wrong and what to do, and nothing is stored", async () => {
    const refusals = [
      [await upload(bytesOf("hello") as Uint8Array<ArrayBuffer>), 415, "not_an_archive"],
      [await upload(zipOf({ "../SKILL.md": skillText("up") })), 400, "bad_path"],
      [await upload(zipOf({ "readme.md": "x" })), 400, "no_skill"],
      [await upload(zip("none"), "", "multipart/form-data; boundary=x"), 400, undefined],
      [await told(await call("POST", SKILLS, {})), 400, undefined],
      [await told(await call("POST", SKILLS, { url: "https://a.test", slug: "b" })), 400, undefined],
      [await told(await call("POST", SKILLS, { url: "file:///etc/passwd" })), 400, undefined],
      [await told(await call("POST", SKILLS, { slug: "a", nonsense: 1 })), 400, undefined],
      [await told(await call("POST", `${SKILLS}/nothing/update`)), 404, "not_installed"],
      [await told(await call("POST", `${SKILLS}/nothing/accept`)), 404, "not_installed"],
      [await told(await call("DELETE", `${SKILLS}/nothing`)), 404, "not_installed"],
      [await told(await call("POST", "/v1/agents/nobody/skills", { slug: "x" })), 404, undefined],
    ] as const;
    for (const [{ status, body }, expected, reason] of refusals) {
      expect([status, body.error.reason, body.error.message]).toEqual([expected, reason, expect.any(String)]);
    }
    const { objects } = await env.FILES.list({ prefix: "agents/main/workspace/skills/" });
    expect(objects).toEqual([]);
  });

  test("a larger body than an archive may be is refused before it is read", async () => {
    const { status } = await upload(new Uint8Array(10 * 1024 * 1024 + 1));
    expect(status).toBe(413);
    expect((await told(await call("POST", SKILLS, { url: `https://a.test/${"x".repeat(5000)}` }))).status).toBe(413);
  });
});
