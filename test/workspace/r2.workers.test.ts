import { env } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { DELETION_MARK, DELETION_MARK_ETAG } from "../../src/workspace/file-store.ts";
import { MAX_FILE_BYTES, WorkspaceError } from "../../src/workspace/workspace.ts";
import { workspaceContract } from "../contracts/workspace.ts";
import { openWorkspace as open, watchWorkspace as watched } from "./open-workspace.ts";
import { watchBucket } from "./watch-bucket.ts";

const ANY = { kind: "any" } as const;
const NEW = { kind: "new" } as const;

let opened = 0;

workspaceContract("R2", () => {
  const agentId = `contract-${opened++}`;
  return [open({ agentId }), open({ agentId })];
});

describe("R2 operations of a workspace", () => {
  test("a listing of the root is one operation", async () => {
    const { workspace, calls } = watched();
    await workspace.write("a.md", "a", NEW);
    calls.length = 0;
    await workspace.list("");
    expect(calls).toEqual(["list"]);
  });

  test("creating is one write; overwriting copies the old version first", async () => {
    const { workspace, calls, agentId } = watched();
    const file = await workspace.write("a.md", "a", NEW);
    expect(calls).toEqual([`put agents/${agentId}/workspace/a.md`]);
    calls.length = 0;
    await workspace.write("a.md", "b", { kind: "etag", etag: file.etag });
    expect(calls.map((call) => call.replace(/ver_.*/, "<id>"))).toEqual([
      `get agents/${agentId}/workspace/a.md`,
      `put versions/${agentId}/a.md/<id>`,
      `put agents/${agentId}/workspace/a.md`,
    ]);
  });

  test("reading a file is one operation, a range of it two", async () => {
    const { workspace, calls } = watched();
    await workspace.write("a.md", "abc", NEW);
    calls.length = 0;
    await workspace.read("a.md");
    expect(calls).toHaveLength(1);
    await workspace.read("a.md", { offset: 1 });
    expect(calls).toHaveLength(3);
  });
});

describe("a workspace folder of more than one R2 page", () => {
  test("is listed and walked completely", async () => {
    const { workspace, calls, prefix } = watched({ pageSize: 20 });
    const names = Array.from({ length: 21 }, (_, i) => `notes/${String(i).padStart(4, "0")}.md`);
    await Promise.all(names.map((name) => env.FILES.put(prefix + name, "x")));
    await env.FILES.put(`${prefix}notes/zz/deep.md`, "x");
    const listed = await workspace.list("notes");
    expect(listed).toHaveLength(22);
    expect(listed.at(-1)).toEqual({ kind: "folder", path: "notes/zz" });
    expect((await workspace.walk("")).map((file) => file.path)).toEqual([...names, "notes/zz/deep.md"]);
    expect(calls).toEqual(["list", "list", "list", "list"]);
  });

  test("is listed up to twenty pages, and the cut is logged", async () => {
    const { workspace, calls, prefix } = watched({ pageSize: 1 });
    const names = Array.from({ length: 25 }, (_, i) => `${String(i).padStart(4, "0")}.md`);
    await Promise.all(names.map((name) => env.FILES.put(prefix + name, "x")));
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect((await workspace.list("")).map(({ path }) => path)).toEqual(names.slice(0, 20));
    expect(calls).toHaveLength(20);
    expect(warn.mock.lastCall?.[0]).toContain("workspace.listing_cut");
    warn.mockRestore();
  });
});

describe("files with earlier versions", () => {
  test("are listed a hundred at a time, across R2 pages", async () => {
    for (const pageSize of [7, 1000]) {
      const { workspace, agentId } = watched({ pageSize });
      const names = Array.from({ length: 102 }, (_, n) => `notes%2F${String(n).padStart(3, "0")}.md`);
      const versions = names.flatMap((name, n) =>
        n % 40 === 0 ? [`${name}/ver_1`, `${name}/ver_2`] : [`${name}/ver_1`],
      );
      await Promise.all(versions.map((key) => env.FILES.put(`versions/${agentId}/${key}`, "x")));
      await env.FILES.put(`versions/${agentId}/.swept`, "");
      const first = await workspace.replaced();
      expect(first.files.length).toBeGreaterThan(50);
      const second = await workspace.replaced(first.next);
      expect(second.next).toBeUndefined();
      const told = [...first.files, ...second.files];
      expect(told.map(({ path }) => path)).toEqual(names.map((name) => name.replace("%2F", "/")));
      expect(told.filter((file) => file.versions === 2).map(({ path }) => path)).toEqual([
        "notes/000.md",
        "notes/040.md",
        "notes/080.md",
      ]);
    }
  });
});

describe("a workspace reflects R2 as it is", () => {
  test("changes by another program are seen at once", async () => {
    const { workspace, prefix } = watched();
    await env.FILES.put(`${prefix}USER.md`, "Ada");
    expect(await workspace.list("")).toMatchObject([{ path: "USER.md", size: 3 }]);
    const file = await workspace.stat("USER.md");
    await env.FILES.put(`${prefix}USER.md`, "Grace");
    await expect(workspace.write("USER.md", "x", { kind: "etag", etag: file.etag })).rejects.toThrow("was changed");
    await env.FILES.delete(`${prefix}USER.md`);
    expect(await workspace.list("")).toEqual([]);
  });

  test("keys that are not valid paths are left out: folder markers, empty segments, control characters", async () => {
    const { workspace, prefix } = watched();
    for (const key of ["", "memory/", "a//b.md", "bad\u0007name.md", "ok.md"]) await env.FILES.put(prefix + key, "");
    expect((await workspace.list("")).map((entry) => entry.path)).toEqual(["a", "memory", "ok.md"]);
    expect((await workspace.walk("")).map((entry) => entry.path)).toEqual(["ok.md"]);
    expect(await workspace.list("memory")).toEqual([]);
  });

  test("a key that would leave the workspace is skipped, harmless, and reported as a stray", async () => {
    const { workspace, prefix, agentId } = watched();
    const bad = [
      "../../versions/x.md",
      "..",
      "a/../../b.md",
      "./c.md",
      "d\\e.md",
      "f\u202e.md",
      "AGENTS.md ",
      "/etc/passwd",
    ];
    for (const key of ["AGENTS.md", "notes/", "agents.md", "jalapen\u0303o.md", "jalape\u00f1o.md", ...bad]) {
      await env.FILES.put(prefix + key, key.endsWith("/") ? "" : "x");
    }
    expect((await workspace.list("")).flatMap(({ kind, path }) => (kind === "file" ? [path] : []))).toEqual([
      "AGENTS.md",
      "agents.md",
      "jalapen\u0303o.md",
      "jalape\u00f1o.md",
    ]);
    expect(await workspace.walk("")).toHaveLength(4);
    await expect(workspace.read("../../versions/x.md")).rejects.toMatchObject({ code: "bad_path" });
    expect(await env.FILES.head(`versions/${agentId}/x.md`)).toBeNull();
    const strays = await workspace.strays();
    expect(strays.map(({ path }) => path).sort()).toEqual(
      [
        "`../../versions/x.md`",
        "`..`",
        "`a/../../b.md`",
        "`./c.md`",
        "`d\\e.md`",
        "`f%E2%80%AE.md`",
        "`AGENTS.md `",
        "`/etc/passwd`",
        "`agents.md`",
        "`jalape\u00f1o.md`",
      ].sort(),
    );
    expect(strays.find(({ path }) => path === "`..`")?.why).toBe(
      "It has a `..` segment, which would leave the workspace, so it cannot be opened.",
    );
    expect(strays.find(({ path }) => path === "`agents.md`")?.why).toContain("looks like `AGENTS.md`");
  });

  test("a too large file of another program is not read whole, but a write keeps its old bytes", async () => {
    const { workspace, prefix, agentId } = watched();
    const size = MAX_FILE_BYTES + 7;
    await env.FILES.put(`${prefix}video.mp4`, new Uint8Array(size));
    await expect(workspace.read("video.mp4")).rejects.toMatchObject({ code: "too_large" });
    expect((await workspace.read("video.mp4", { suffix: 3 })).bytes).toHaveLength(3);
    await workspace.write("video.mp4", "gone", ANY);
    expect(await workspace.versions("video.mp4")).toMatchObject([{ size }]);
    const [version] = await workspace.versions("video.mp4");
    await expect(workspace.readVersion("video.mp4", version!.versionId)).rejects.toMatchObject({ code: "too_large" });
    expect(await workspace.restore("video.mp4", version!.versionId)).toMatchObject({ size });
    expect((await workspace.read("video.mp4", { suffix: 3 })).bytes).toHaveLength(3);
    expect((await env.FILES.list({ prefix: `versions/${agentId}/` })).objects).toHaveLength(2);
  });
});

describe("a ranged read of a file that changes meanwhile", () => {
  test("returns bytes of one version", async () => {
    let changing = true;
    const { workspace, prefix } = watched({
      async hold(call) {
        if (!changing || !call.startsWith("get agents")) return;
        changing = false;
        await env.FILES.put(`${prefix}log.txt`, "a longer new text");
      },
    });
    await workspace.write("log.txt", "old text", NEW);
    const { file, bytes } = await workspace.read("log.txt", { suffix: 8 });
    expect([file.size, new TextDecoder().decode(bytes)]).toEqual([17, "new text"]);
  });
});

describe("the keys of a workspace", () => {
  test("have the agent's prefix, or the configured folder", async () => {
    await open({ agentId: "main" }).write("a.md", "1", NEW);
    await open({ agentId: "main", configured: "team/notes" }).write("b.md", "2", NEW);
    await open({ agentId: "main", configured: "~/.openclaw/workspace" }).write("c.md", "3", NEW);
    for (const key of ["agents/main/workspace/a.md", "team/notes/b.md", "agents/main/workspace/c.md"]) {
      expect(await env.FILES.head(key)).not.toBeNull();
    }
  });

  test("limit a path's length by the prefix, and the message says by how much", async () => {
    const { workspace, prefix } = watched();
    const fits = "字".repeat(Math.floor((1024 - prefix.length) / 3));
    await workspace.write(fits, "1", NEW);
    await workspace.write(fits, "2", ANY);
    expect(await workspace.versions(fits)).toHaveLength(1);
    await expect(workspace.read(`${"x".repeat(1024 - prefix.length)}y`)).rejects.toThrow("1 bytes too long");
    await expect(workspace.read("x".repeat(1025))).rejects.toThrow("longer than 1024 bytes");
  });
});

describe("failures of R2", () => {
  const busy = new Error("put: Reduce your concurrent request rate for the same object. (10058)");

  test("a rate limit is retried", async () => {
    const waits: number[] = [];
    let failures = 2;
    const { bucket } = watchBucket(env.FILES, { before: (call) => call.startsWith("put") && failures-- > 0 && busy });
    const workspace = open({ bucket, wait: async (ms) => void waits.push(ms) });
    await workspace.write("a.md", "a", NEW);
    expect(waits).toEqual([150, 500]);
  });

  test("an outage ends as unavailable after four attempts", async () => {
    const { workspace, calls } = watched({ before: () => new Error("Network connection lost.") });
    const failure = await workspace.read("a.md").catch((thrown) => thrown);
    expect(failure).toBeInstanceOf(WorkspaceError);
    expect(failure).toMatchObject({ code: "unavailable", path: "a.md" });
    expect(failure.message).toContain("Network connection lost.");
    expect(calls).toHaveLength(4);
  });

  test("a permanent refusal is not retried", async () => {
    const { workspace, calls } = watched({ before: () => new Error("get: Access denied (10003)") });
    await expect(workspace.read("a.md")).rejects.toMatchObject({ code: "unavailable" });
    expect(calls).toHaveLength(1);
  });

  test("a write whose response was lost is recognized as ours", async () => {
    let lost = 1;
    const after = (call: string) => call.endsWith("/a.md") && lost-- > 0 && new Error("put: internal error (10001)");
    const { workspace } = watched({ after: (call) => call.startsWith("put agents") && after(call) });
    const created = await workspace.write("a.md", "one", NEW);
    expect(created.size).toBe(3);
    lost = 1;
    await workspace.write("a.md", "three", { kind: "etag", etag: created.etag });
    expect(await workspace.versions("a.md")).toHaveLength(1);
  });

  test("a failed write after copying the version leaves the file and the version", async () => {
    let broken = false;
    const { workspace } = watched({
      before: (call) => broken && call.startsWith("put agents") && new Error("put: internal error (10001)"),
    });
    const file = await workspace.write("a.md", "one", NEW);
    broken = true;
    await expect(workspace.write("a.md", "two", ANY)).rejects.toMatchObject({ code: "unavailable" });
    expect(await workspace.stat("a.md")).toEqual(file);
    expect(await workspace.versions("a.md")).toHaveLength(1);
  });
});

describe("concurrent writes to one workspace file", () => {
  test("are all stored one after the other, and no version is lost", async () => {
    const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const writer = () => open({ agentId: "crowd", wait });
    const texts = Array.from({ length: 16 }, (_, n) => `written by ${n}`);
    await Promise.all(texts.map((text) => writer().write("a.md", text, ANY)));
    expect(await writer().versions("a.md")).toHaveLength(texts.length - 1);
  });

  test("back off exponentially with jitter by their content", async () => {
    const pauses = async (text: string) => {
      const waits: number[] = [];
      let others = 0;
      const { workspace, prefix } = watched(
        {
          async hold(call) {
            if (call.startsWith("put agents")) await env.FILES.put(`${prefix}a.md`, `somebody else's ${others++}`);
          },
        },
        { wait: async (ms) => void waits.push(ms) },
      );
      await expect(workspace.write("a.md", text, ANY)).rejects.toMatchObject({ code: "conflict" });
      return waits;
    };
    const [one, two] = [await pauses("one"), await pauses("two")];
    expect(one.length).toBeGreaterThan(5);
    expect(one.at(-1)).toBeGreaterThan(4 * (one[0] ?? 0));
    expect(one).not.toEqual(two);
    expect(await pauses("one")).toEqual(one);
  });
});

describe("writes to one R2 key", () => {
  const busy = new Error("put: Reduce your concurrent request rate for the same object. (10058)");

  /** A workspace whose store refuses so many writes to its file. */
  function busyWorkspace(refusals: number) {
    let left = 0;
    const { workspace, calls } = watched({
      before: (call) => call.startsWith("put agents") && left-- > 0 && busy,
    });
    function refuse() {
      left = refusals;
    }
    return { workspace, calls, refuse };
  }

  test("of one workspace are serialized in order", async () => {
    const { workspace, calls } = busyWorkspace(0);
    const texts = ["1", "2", "3", "4"];
    await Promise.all(texts.map((text) => workspace.write("a.md", text, ANY)));
    expect(new TextDecoder().decode((await workspace.read("a.md")).bytes)).toBe("4");
    expect(calls.filter((call) => call.startsWith("put agents"))).toHaveLength(4);
    expect(await workspace.versions("a.md")).toHaveLength(3);
  });

  test("yield to the newest waiting write after a refusal, with a conflict for the others", async () => {
    const { workspace, calls, refuse } = busyWorkspace(1);
    await workspace.write("a.md", "0", NEW);
    refuse();
    calls.length = 0;
    const outcomes = await Promise.allSettled(["1", "2", "3"].map((text) => workspace.write("a.md", text, ANY)));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
    const [first, second] = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : undefined));
    expect(first).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("a newer write to it was waiting"),
    });
    expect(second).toMatchObject({ code: "conflict" });
    expect(new TextDecoder().decode((await workspace.read("a.md")).bytes)).toBe("3");
    expect(calls.filter((call) => call.startsWith("put agents"))).toHaveLength(2);
    const versions = await workspace.versions("a.md");
    expect(versions.map(({ size }) => size)).toEqual([1]);
    expect(new TextDecoder().decode((await workspace.readVersion("a.md", versions[0]!.versionId)).bytes)).toBe("0");
  });

  test("do not yield to a write of another file, of a later version, or to a delete", async () => {
    const { workspace, refuse } = busyWorkspace(2);
    const base = await workspace.write("a.md", "0", NEW);
    refuse();
    const outcomes = await Promise.allSettled([
      workspace.write("a.md", "1", ANY),
      workspace.write("b.md", "1", ANY),
      workspace.write("a.md", "2", { kind: "new" }),
      workspace.write("a.md", "2", { kind: "etag", etag: base.etag }),
      workspace.remove("a.md", ANY),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    expect((await workspace.versions("a.md")).map(({ size }) => size)).toEqual([1, 1]);
  });

  test("do not yield to a newer one while their outcome is unsure", async () => {
    let failures = 1;
    const { workspace } = watched({
      after: (call) => call.startsWith("put agents") && failures-- > 0 && new Error("put: internal error (10001)"),
    });
    const outcomes = await Promise.allSettled(["1", "2"].map((text) => workspace.write("a.md", text, ANY)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(await workspace.versions("a.md")).toHaveLength(1);
  });
});

describe("deleting without a conditional delete", () => {
  test("uses a mark whose etag is the MD5 of its bytes", async () => {
    expect((await env.FILES.put("mark-test", DELETION_MARK))?.etag).toBe(DELETION_MARK_ETAG);
  });

  test("makes a concurrent writer wait, and keeps its file", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { bucket } = watchBucket(env.FILES, {
      hold: (call) => (call.startsWith("delete agents") ? held : undefined),
    });
    const workspace = open({ bucket, agentId: "marked" });
    await workspace.write("a.md", "old", NEW);
    const removing = workspace.remove("a.md", ANY);
    await expect.poll(() => workspace.list("")).toEqual([]);
    expect(await workspace.walk("")).toEqual([]);
    await expect(workspace.read("a.md")).rejects.toMatchObject({ code: "not_found" });
    const writing = open({ agentId: "marked" }).write("a.md", "new", NEW);
    setTimeout(release, 250);
    await Promise.all([removing, writing]);
    expect(new TextDecoder().decode((await workspace.read("a.md")).bytes)).toBe("new");
  });

  test("leaves a mark after a crash that is no file, and is overwritten a minute later", async () => {
    const { workspace, prefix, agentId } = watched();
    await env.FILES.put(`${prefix}a.md`, DELETION_MARK);
    await expect(workspace.stat("a.md")).rejects.toMatchObject({ code: "not_found" });
    await expect(workspace.write("a.md", "x", NEW)).rejects.toThrow("being deleted");
    const later = open({ agentId, now: () => Date.now() + 61_000 });
    await later.write("a.md", "new", NEW);
    expect(new TextDecoder().decode((await later.read("a.md")).bytes)).toBe("new");
    expect(await later.versions("a.md")).toEqual([]);
  });

  test("deletes the file even if the mark cannot be removed", async () => {
    const { workspace } = watched({
      before: (call) => call.startsWith("delete agents") && new Error("delete: internal error (10001)"),
    });
    await workspace.write("a.md", "old", NEW);
    await workspace.remove("a.md", ANY);
    expect(await workspace.list("")).toEqual([]);
  });

  test("does not delete a newer file after a lost response", async () => {
    let lost = true;
    const agentId = "delete-unsure";
    const { bucket } = watchBucket(env.FILES, {
      after: (call) => {
        if (!lost || !call.startsWith("delete agents")) return false;
        lost = false;
        return new Error("delete: internal error (10001)");
      },
    });
    const other = open({ agentId });
    const workspace = open({
      bucket,
      agentId,
      wait: async () => void (await other.write("a.md", "new", NEW)),
    });
    await workspace.write("a.md", "old", NEW);
    await workspace.remove("a.md", ANY);
    expect(await workspace.stat("a.md")).toMatchObject({ size: 3 });
  });
});

describe("reports of replaced files", () => {
  test("come once per overwrite and delete, and not for a new file or a conflict", async () => {
    const replaced: string[] = [];
    const workspace = open({ onReplaced: (path) => void replaced.push(path) });
    const file = await workspace.write("a.md", "1", NEW);
    await workspace.write("a.md", "1", ANY);
    expect(replaced).toEqual([]);
    await workspace.write("a.md", "2", { kind: "etag", etag: file.etag });
    await workspace.write("a.md", "3", { kind: "etag", etag: file.etag }).catch(() => undefined);
    await workspace.remove("a.md", ANY);
    expect(replaced).toEqual(["a.md", "a.md"]);
  });
});
