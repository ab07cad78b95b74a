import { OpenAPIHono } from "@hono/zod-openapi";
import { beforeEach, describe, expect, test } from "vitest";
import { onError, onInvalid } from "../../src/http/errors.ts";
import { notFoundHandler } from "../../src/http/request-path.ts";
import { workspaceRoutes } from "../../src/http/workspace.ts";
import { IsopodError } from "../../src/lib/errors.ts";
import { lineHash } from "../../src/workspace/file-labels.ts";
import { MAX_FILE_BYTES, type Workspace } from "../../src/workspace/workspace.ts";
import { openWorkspace, watchWorkspace } from "../workspace/open-workspace.ts";

const BASE = "https://isopod.test/v1/agents/main";

let workspace: Workspace;
let app: OpenAPIHono;

beforeEach(() => {
  workspace = openWorkspace();
  app = appOf(workspace);
});

/** The routes as the application mounts them, with its own error handling. */
function appOf(opened: Workspace): OpenAPIHono {
  const api = new OpenAPIHono({ defaultHook: onInvalid });
  api.route(
    "/v1",
    workspaceRoutes(async (_, agentId) => {
      if (agentId !== "main") throw new IsopodError("not_found", `There is no agent '${agentId}'.`);
      return opened;
    }),
  );
  api.onError(onError);
  api.notFound(notFoundHandler(() => api.routes));
  return api;
}

async function ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  return app.fetch(new Request(BASE + path, { method, ...init }));
}

function put(path: string, body: BodyInit, headers: HeadersInit = {}): Promise<Response> {
  return ask("PUT", `/workspace/${path}`, { body, headers });
}

async function errorOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error } = await response.json<{ error: { code: string; message: string } }>();
  return { status: response.status, code: error.code, message: error.message };
}

describe("a file over HTTP", () => {
  test("a workspace file is stored, read, overwritten and deleted", async () => {
    const created = await put("memory/2026-11-21.md", "ran 5 km");
    expect(created.status).toBe(201);
    const file = await created.json<{ etag: string }>();
    expect(file).toMatchObject({ kind: "file", path: "memory/2026-11-21.md", size: 8 });
    expect(created.headers.get("ETag")).toBe(`"${file.etag}"`);

    const read = await ask("GET", "/workspace/memory/2026-11-21.md");
    expect([read.status, await read.text()]).toEqual([200, "ran 5 km"]);
    expect(read.headers.get("ETag")).toBe(`"${file.etag}"`);
    expect(read.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    expect(read.headers.get("Content-Length")).toBe("8");
    expect(Date.parse(read.headers.get("Last-Modified")!)).toBeGreaterThan(Date.now() - 10_000);

    expect((await put("memory/2026-11-21.md", "ran 6 km")).status).toBe(200);
    const removed = await ask("DELETE", "/workspace/memory/2026-11-21.md");
    expect([removed.status, await removed.text()]).toEqual([204, ""]);
    expect(await errorOf(await ask("GET", "/workspace/memory/2026-11-21.md"))).toMatchObject({
      status: 404,
      code: "not_found",
    });
    expect((await ask("DELETE", "/workspace/memory/2026-11-21.md")).status).toBe(404);
  });

  test("a workspace file may have any name and any bytes", async () => {
    const bytes = new Uint8Array([0, 1, 254, 255]);
    for (const path of ["日记/día 1.bin", "100% sure?.bin", "a+b&c=d#e.bin", "emoji 🦐.bin"]) {
      const url = path.split("/").map(encodeURIComponent).join("/");
      expect((await put(url, bytes)).status).toBe(201);
      const read = await ask("GET", `/workspace/${url}`);
      expect(new Uint8Array(await read.arrayBuffer())).toEqual(bytes);
      expect((await workspace.stat(path)).size).toBe(4);
    }
  });

  test("a workspace file may be empty", async () => {
    expect((await put("empty.md", "")).status).toBe(201);
    expect((await ask("PUT", "/workspace/empty2.md")).status).toBe(201);
    const read = await ask("GET", "/workspace/empty2.md");
    expect([read.status, read.headers.get("Content-Length"), await read.text()]).toEqual([200, "0", ""]);
  });

  test("HEAD on a workspace file answers the headers without reading it", async () => {
    await put("a.md", "abc");
    const watched = watchWorkspace();
    await watched.workspace.write("a.md", "abc", { kind: "new" });
    watched.calls.length = 0;
    const head = await appOf(watched.workspace).fetch(new Request(`${BASE}/workspace/a.md`, { method: "HEAD" }));
    expect([head.status, head.headers.get("Content-Length"), await head.text()]).toEqual([200, "3", ""]);
    expect(head.headers.get("ETag")).toMatch(/^"[0-9a-f]{32}"$/);
    expect(watched.calls.map((call) => call.split(" ")[0])).toEqual(["head"]);
    expect((await ask("HEAD", "/workspace/none.md")).status).toBe(404);
  });

  test("a workspace file is served with headers that keep it from attacking the page", async () => {
    const shown = { "notes.md": "inline", "cat.png": "inline", "x.json": "inline" };
    const downloaded = {
      "evil.html": "attachment",
      "evil.svg": "attachment",
      "e.js": "attachment",
      noext: "attachment",
    };
    for (const [path, disposition] of Object.entries({ ...shown, ...downloaded })) {
      await put(path, "<script>alert(1)</script>");
      const { headers } = await ask("GET", `/workspace/${path}`);
      expect(headers.get("Content-Disposition")).toBe(`${disposition}; filename*=UTF-8''${path}`);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Content-Security-Policy")).toBe("sandbox; default-src 'none'");
      expect(headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
      expect(headers.get("Cache-Control")).toBe("private, no-cache");
    }
    await put(encodeURIComponent(`a"b'c;(好).txt`), "x");
    const { headers } = await ask("GET", `/workspace/${encodeURIComponent(`a"b'c;(好).txt`)}`);
    expect(headers.get("Content-Disposition")).toBe("inline; filename*=UTF-8''a%22b%27c%3B%28%E5%A5%BD%29.txt");
  });
});

describe("conditions", () => {
  test("If-Match overwrites that version only", async () => {
    const first = (await put("a.md", "one")).headers.get("ETag")!;
    const second = await put("a.md", "two", { "If-Match": first });
    expect(second.status).toBe(200);
    const refused = await put("a.md", "three", { "If-Match": first });
    expect(await errorOf(refused)).toMatchObject({ status: 412, code: "precondition_failed" });
    expect(await (await ask("GET", "/workspace/a.md")).text()).toBe("two");
    const either = `"nonsense", ${second.headers.get("ETag")}`;
    expect((await put("a.md", "three", { "If-Match": either })).status).toBe(200);
    expect((await put("a.md", "four", { "If-Match": "*" })).status).toBe(200);
    expect((await put("none.md", "x", { "If-Match": "*" })).status).toBe(412);
    expect((await put("none.md", "x", { "If-Match": first })).status).toBe(412);
  });

  test("a weak etag is not enough to overwrite", async () => {
    const etag = (await put("a.md", "one")).headers.get("ETag")!;
    expect((await put("a.md", "two", { "If-Match": `W/${etag}` })).status).toBe(412);
  });

  test("If-None-Match: * creates and never overwrites", async () => {
    expect((await put("a.md", "one", { "If-None-Match": "*" })).status).toBe(201);
    expect((await put("a.md", "two", { "If-None-Match": "*" })).status).toBe(412);
    expect(await (await ask("GET", "/workspace/a.md")).text()).toBe("one");
  });

  test("DELETE honours If-Match", async () => {
    const first = (await put("a.md", "one")).headers.get("ETag")!;
    const second = (await put("a.md", "two")).headers.get("ETag")!;
    expect((await ask("DELETE", "/workspace/a.md", { headers: { "If-Match": first } })).status).toBe(412);
    expect((await ask("DELETE", "/workspace/a.md", { headers: { "If-Match": second } })).status).toBe(204);
    expect((await ask("DELETE", "/workspace/a.md", { headers: { "If-Match": second } })).status).toBe(412);
  });

  test("If-None-Match with the current etag gets 304, also as a weak etag, in a list and as *", async () => {
    const etag = (await put("a.md", "one")).headers.get("ETag")!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const response = await ask("GET", "/workspace/a.md", { headers: { "If-None-Match": known } });
      expect([response.status, await response.text(), response.headers.get("ETag")]).toEqual([304, "", etag]);
    }
    const changed = await ask("GET", "/workspace/a.md", { headers: { "If-None-Match": '"other"' } });
    expect([changed.status, await changed.text()]).toEqual([200, "one"]);
    expect((await ask("GET", "/workspace/a.md", { headers: { "If-Match": '"other"' } })).status).toBe(412);
    expect((await ask("GET", "/workspace/a.md", { headers: { "If-Match": etag } })).status).toBe(200);
  });
});

describe("ranges", () => {
  beforeEach(async () => {
    await put("a.txt", "abcdefghij");
  });

  test("a range gets 206 with its bytes", async () => {
    const cases = [
      ["bytes=0-2", "abc", "bytes 0-2/10"],
      ["bytes=7-", "hij", "bytes 7-9/10"],
      ["bytes=-2", "ij", "bytes 8-9/10"],
      ["bytes=8-500", "ij", "bytes 8-9/10"],
      ["bytes=-500", "abcdefghij", "bytes 0-9/10"],
      [`bytes=8-${"9".repeat(400)}`, "ij", "bytes 8-9/10"],
    ];
    for (const [range, body, contentRange] of cases) {
      const response = await ask("GET", "/workspace/a.txt", { headers: { Range: range! } });
      expect([response.status, await response.text(), response.headers.get("Content-Range")]).toEqual([
        206,
        body,
        contentRange,
      ]);
      expect(response.headers.get("Content-Length")).toBe(String(body!.length));
    }
  });

  test("an unsatisfiable range gets 416 and the size", async () => {
    for (const range of ["bytes=10-", "bytes=50-60", "bytes=-0", `bytes=${"9".repeat(40)}-`]) {
      const response = await ask("GET", "/workspace/a.txt", { headers: { Range: range } });
      expect(response.headers.get("Content-Range")).toBe("bytes */10");
      expect(await errorOf(response)).toMatchObject({ status: 416, code: "range_not_satisfiable" });
    }
  });

  test("an invalid range, or several ranges, get the whole file", async () => {
    for (const range of ["bytes=5-2", "bytes=", "bytes=-", "lines=1-2", "bytes=0-1,4-5", "bytes=a-b"]) {
      const response = await ask("GET", "/workspace/a.txt", { headers: { Range: range } });
      expect([response.status, await response.text()]).toEqual([200, "abcdefghij"]);
    }
  });

  test("a range with If-Range applies to that version only", async () => {
    const etag = (await ask("HEAD", "/workspace/a.txt")).headers.get("ETag")!;
    const ranged = (ifRange: string) =>
      ask("GET", "/workspace/a.txt", { headers: { Range: "bytes=0-0", "If-Range": ifRange } });
    expect((await ranged(etag)).status).toBe(206);
    expect((await ranged('"other"')).status).toBe(200);
    expect((await ranged("Sat, 21 Nov 2026 08:00:00 GMT")).status).toBe(200);
  });
});

describe("the size limit", () => {
  test("a body whose Content-Length is too large is refused unread", async () => {
    const response = await put("big.bin", "x", { "Content-Length": String(MAX_FILE_BYTES + 1) });
    expect(await errorOf(response)).toMatchObject({ status: 413, code: "payload_too_large" });
  });

  test("a body without Content-Length is refused at the limit, and reading stops", async () => {
    let sent = 0;
    const chunk = new Uint8Array(1024 * 1024);
    const endless = new ReadableStream({
      pull(controller) {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    const response = await ask("PUT", "/workspace/big.bin", { body: endless });
    expect(await errorOf(response)).toMatchObject({ status: 413, code: "payload_too_large" });
    expect(sent).toBeLessThan(MAX_FILE_BYTES + 4 * chunk.length);
    expect(await workspace.list("")).toEqual([]);
  });

  test("a file of exactly the size limit is stored", async () => {
    expect((await put("most.bin", new Uint8Array(MAX_FILE_BYTES))).status).toBe(201);
  });
});

describe("listing", () => {
  beforeEach(async () => {
    for (const path of ["a.md", "memory/1.md", "memory/deep/2.md"]) await put(path, path);
  });

  async function paths(query: string): Promise<string[]> {
    const response = await ask("GET", `/workspace${query}`);
    expect(response.status).toBe(200);
    const { entries } = await response.json<{ entries: { kind: string; path: string }[] }>();
    return entries.map((entry) => `${entry.kind} ${entry.path}`);
  }

  test("a listing shows a folder, or with recursive every file below it", async () => {
    expect(await paths("")).toEqual(["file a.md", "folder memory"]);
    expect(await paths("?prefix=memory")).toEqual(["file memory/1.md", "folder memory/deep"]);
    expect(await paths("?prefix=memory/")).toEqual(["file memory/1.md", "folder memory/deep"]);
    expect(await paths("?recursive=true")).toEqual(["file a.md", "file memory/1.md", "file memory/deep/2.md"]);
    expect(await paths("?recursive=true&prefix=memory/deep")).toEqual(["file memory/deep/2.md"]);
    expect(await paths("?prefix=nowhere")).toEqual([]);
  });

  test("a listing refuses an unknown query parameter by its name", async () => {
    const refused = await errorOf(await ask("GET", "/workspace?folder=memory"));
    expect(refused).toMatchObject({ status: 400, code: "invalid_request" });
    expect(refused.message).toContain("folder");
    expect((await ask("GET", "/workspace?recursive=perhaps")).status).toBe(400);
    expect((await ask("GET", "/workspace?prefix=../other")).status).toBe(400);
    expect((await ask("GET", "/workspace/a.md?versionId=1")).status).toBe(400);
  });
});

describe("versions", () => {
  test("versions are listed and restored, also of a deleted file", async () => {
    await put("notes/a.md", "one");
    await put("notes/a.md", "two");
    await ask("DELETE", "/workspace/notes/a.md");
    const listed = await ask("GET", "/versions/notes/a.md");
    const { versions } = await listed.json<{ versions: { versionId: string; size: number; replacedAt: number }[] }>();
    expect(versions).toHaveLength(2);
    const restored = await ask("POST", "/versions/notes/a.md", {
      body: JSON.stringify({ versionId: versions[0]!.versionId }),
      headers: { "Content-Type": "application/json" },
    });
    expect(restored.status).toBe(200);
    expect(await restored.json()).toMatchObject({ path: "notes/a.md", size: 3 });
    expect(await (await ask("GET", "/workspace/notes/a.md")).text()).toBe("two");
  });

  test("a version can be read without being restored", async () => {
    const first = await put("notes/a.md", "one");
    await put("notes/a.md", "two");
    const { versions } = await (await ask("GET", "/versions/notes/a.md")).json<{ versions: { versionId: string }[] }>();
    const old = await ask("GET", `/versions/notes/a.md?versionId=${versions[0]!.versionId}`);
    expect([old.status, await old.text()]).toEqual([200, "one"]);
    expect(old.headers.get("ETag")).toBe(first.headers.get("ETag"));
    expect(old.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    expect(old.headers.get("Content-Security-Policy")).toBe("sandbox; default-src 'none'");
    expect(await (await ask("GET", "/workspace/notes/a.md")).text()).toBe("two");
    expect((await ask("GET", "/versions/notes/a.md?versionId=ver_none")).status).toBe(404);
    expect((await ask("GET", "/versions/notes/a.md?version=1")).status).toBe(400);
  });

  test("restoring honours If-Match and If-None-Match", async () => {
    await put("a.md", "one");
    const second = (await put("a.md", "two")).headers.get("ETag")!;
    const { versions } = await (await ask("GET", "/versions/a.md")).json<{ versions: { versionId: string }[] }>();
    const restore = (condition: Record<string, string>) =>
      ask("POST", "/versions/a.md", {
        body: JSON.stringify({ versionId: versions[0]!.versionId }),
        headers: { "Content-Type": "application/json", ...condition },
      });
    expect((await restore({ "If-Match": '"other"' })).status).toBe(412);
    expect((await restore({ "If-None-Match": "*" })).status).toBe(412);
    expect(await (await ask("GET", "/workspace/a.md")).text()).toBe("two");
    const restored = await restore({ "If-Match": second });
    expect([restored.status, restored.headers.get("ETag")]).not.toEqual([200, second]);
    expect(await (await ask("GET", "/workspace/a.md")).text()).toBe("one");
    expect((await (await ask("GET", "/versions/a.md")).json<{ versions: object[] }>()).versions).toHaveLength(2);
  });

  test("the list of versions says which files are deleted", async () => {
    for (const path of ["notes/a.md", "b.md"]) {
      await put(path, "one");
      await ask("DELETE", `/workspace/${path}`);
    }
    await put("b.md", "back again");
    const page = async (query: string) =>
      (await ask("GET", `/versions${query}`)).json<{ files: { path: string; deleted: boolean }[]; next?: string }>();
    const gone = { path: "notes/a.md", deleted: true, versions: 1, newest: { size: 3 } };
    const back = { path: "b.md", deleted: false, versions: 1, newest: { size: 3 } };
    expect(await page("")).toMatchObject({ files: [back, gone] });
    expect((await page("?deleted=true")).files).toMatchObject([gone]);
    expect((await page("?deleted=false")).files).toMatchObject([back]);
    expect((await page("?after=b.md")).files).toMatchObject([gone]);
    expect((await ask("GET", "/versions?deleted=perhaps")).status).toBe(400);
  });

  test("an unknown version is 404, and an unknown field of a restore is refused by its name", async () => {
    const restore = (body: unknown) =>
      ask("POST", "/versions/a.md", { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
    expect(await errorOf(await restore({ versionId: "ver_none" }))).toMatchObject({ status: 404, code: "not_found" });
    expect((await errorOf(await restore({ versionId: "ver_1", force: true }))).message).toContain("force");
    expect((await restore({})).status).toBe(400);
    expect((await restore({ versionId: "x".repeat(5_000) })).status).toBe(413);
  });
});

describe("workspace refusals", () => {
  test("a path out of the workspace is refused in every spelling", async () => {
    const out = [
      "..%2f..%2fsecret",
      "a%2f..%2f..%2fb",
      "%2Fetc%2Fpasswd",
      "a%2f%2e%2e%2fb",
      "%2e%2e%5csecret",
      "a%2f.%2fb",
    ];
    const none = ["a%00b", "a%E2%80%AEb", "folder/", "a%2f%2fb", "a%5cb", "AGENTS.md%20", "%20/a.md"];
    for (const path of [...out, ...none]) {
      for (const method of ["GET", "PUT", "DELETE"]) {
        expect((await ask(method, `/workspace/${path}`)).status, `${method} ${path}`).toBe(400);
      }
    }
  });

  test("the workspace of an unknown agent is 404", async () => {
    const response = await app.fetch(new Request("https://isopod.test/v1/agents/other/workspace/a.md"));
    expect(await errorOf(response)).toMatchObject({ status: 404, message: "There is no agent 'other'." });
  });

  test("a method that a workspace file does not have is 405", async () => {
    const response = await ask("POST", "/workspace/notes/a.md");
    expect(response.headers.get("Allow")).toBe("GET, PUT, DELETE, HEAD");
    expect(await errorOf(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
  });

  test("all workspace routes are 503 while the store does not answer", async () => {
    const { workspace: broken } = watchWorkspace({ before: () => new Error("Network connection lost.") });
    const response = await appOf(broken).fetch(new Request(`${BASE}/workspace/a.md`));
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "unavailable" });
  });
});

describe("the OpenAPI document of workspaces", () => {
  test("the OpenAPI document has every workspace route under the path that a client calls", () => {
    const { paths } = app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "Isopod", version: "1" } });
    expect(Object.entries(paths ?? {}).map(([path, item]) => `${path} ${Object.keys(item)}`)).toEqual([
      "/v1/agents/{id}/workspace/{path} get,put,delete",
      "/v1/agents/{id}/labels/{path} delete",
      "/v1/agents/{id}/versions/{path} get,post",
      "/v1/agents/{id}/workspace get",
      "/v1/agents/{id}/versions get",
    ]);
  });
});

describe("words that are not the owner's", () => {
  const LABELS = { labels: ["host:example.org"] } as const;

  test("are shown in the listing with where they come from, and accepted in the version that was read", async () => {
    const { etag } = await workspace.write("notes/page.md", "Buy now.", { kind: "any" }, LABELS);
    const { entries } = await (await ask("GET", "/workspace?recursive=true")).json<any>();
    expect(entries).toEqual([expect.objectContaining({ path: "notes/page.md", labels: ["host:example.org"] })]);
    expect(await errorOf(await ask("DELETE", "/labels/notes/page.md"))).toMatchObject({
      status: 400,
      message: "If-Match: missing",
    });
    const stale = await ask("DELETE", "/labels/notes/page.md", { headers: { "If-Match": '"other"' } });
    expect(stale.status).toBe(412);
    const accepted = await ask("DELETE", "/labels/notes/page.md", { headers: { "If-Match": `"${etag}"` } });
    expect([accepted.status, await accepted.json()]).toEqual([
      200,
      expect.not.objectContaining({ labels: expect.anything() }),
    ]);
    expect(await (await ask("GET", "/workspace/notes/page.md")).text()).toBe("Buy now.");
    expect((await workspace.stat("notes/page.md")).labels).toBeUndefined();
  });

  test("of single lines are counted", async () => {
    const text = "Mine.\nFrom outside.\n";
    const lines = new Set([lineHash("From outside.") ?? ""]);
    await workspace.write("MEMORY.md", text, { kind: "any" }, { ...LABELS, lines });
    const { entries } = await (await ask("GET", "/workspace")).json<any>();
    expect(entries).toEqual([expect.objectContaining({ labels: ["host:example.org"], labelledLines: 1 })]);
  });

  test("stay with an earlier version that is restored", async () => {
    await workspace.write("a.md", "outside", { kind: "any" }, LABELS);
    await workspace.write("a.md", "mine", { kind: "any" });
    const { versions } = await (await ask("GET", "/versions/a.md")).json<any>();
    const [{ versionId }] = versions;
    const restored = await ask("POST", "/versions/a.md", {
      body: JSON.stringify({ versionId }),
      headers: { "Content-Type": "application/json" },
    });
    expect(await restored.json()).toMatchObject({ labels: ["host:example.org"] });
  });
});
