import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import {
  type BootstrapCache,
  type BootstrapRequest,
  etagsShown,
  isEffectivelyEmpty,
  loadBootstrap,
} from "../../src/workspace/bootstrap.ts";
import { watchWorkspace } from "./open-workspace.ts";

/** A turn of the owner, of an agent with heartbeats, in a new workspace. */
const OWNER = { mode: "full", heartbeat: true, personal: true, firstConversation: "here" } as const;

const ALL = ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md"];

/** A workspace with these files, and a loader that lists and reads it as a turn does. */
async function house(files: Record<string, string | Uint8Array>) {
  const { workspace, calls, prefix } = watchWorkspace();
  await Promise.all(Object.entries(files).map(([path, content]) => env.FILES.put(prefix + path, content)));
  const cache: BootstrapCache = new Map();
  async function load(options: Partial<BootstrapRequest> = {}) {
    calls.length = 0;
    const listing = await workspace.list("");
    return loadBootstrap({ workspace, listing, cache, ...OWNER, ...options });
  }
  const show = async (options: Partial<BootstrapRequest> = {}) => (await load(options)).shown;
  return { load: show, look: load, calls, workspace, cache };
}

function furnished(): Record<string, string> {
  return Object.fromEntries(ALL.map((path) => [path, `I am ${path}`]));
}

describe("the bootstrap files of a prompt", () => {
  test("are all files in the order of the contract", async () => {
    const { load } = await house({ ...furnished(), "README.md": "no", "memory/2026-11-21.md": "no", "BOOT.md": "no" });
    const files = await load();
    expect(files.map((file) => file.path)).toEqual(ALL);
    expect(files[1]).toEqual({
      path: "SOUL.md",
      content: "I am SOUL.md",
      rawChars: 12,
      injectedChars: 12,
      truncated: false,
      missing: false,
    });
  });

  test("of a sub-agent are AGENTS.md and TOOLS.md alone", async () => {
    const { load, calls } = await house(furnished());
    expect((await load({ mode: "minimal", heartbeat: false })).map((file) => file.path)).toEqual([
      "AGENTS.md",
      "TOOLS.md",
    ]);
    expect(calls).toHaveLength(3);
  });

  test("include HEARTBEAT.md only with heartbeats; MEMORY.md, USER.md and BOOTSTRAP.md only for owners alone", async () => {
    const { load, calls } = await house(furnished());
    const group = { heartbeat: false, personal: false, firstConversation: "elsewhere" } as const;
    const paths = (await load(group)).map((file) => file.path);
    expect(paths).toEqual(["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md"]);
    expect(calls.join(" ")).not.toMatch(/MEMORY|USER|HEARTBEAT|BOOTSTRAP/);
  });

  test("have a marker for a missing file, except BOOTSTRAP.md and MEMORY.md", async () => {
    const { load } = await house({ "AGENTS.md": "here" });
    const files = await load();
    expect(files.map((file) => file.path)).toEqual(ALL.slice(0, 6));
    const missing = files.filter((file) => file.missing);
    expect(missing.map((file) => file.path)).toEqual(ALL.slice(1, 6));
    for (const file of missing) {
      expect(file.content).toBe(`(${file.path} does not exist yet.)`);
      expect(file).toMatchObject({ rawChars: 0, injectedChars: file.content.length, truncated: false });
    }
  });

  test("match names in any case, and the usual spelling wins", async () => {
    const { load } = await house({ "agents.md": "small", "Soul.md": "odd", "SOUL.md": "usual", "TOOLS.MD": "loud" });
    const files = await load();
    expect(files.slice(0, 3).map((file) => `${file.path}: ${file.content}`)).toEqual([
      "agents.md: small",
      "SOUL.md: usual",
      "TOOLS.MD: loud",
    ]);
  });

  test("include both memory.md and MEMORY.md only if they differ", async () => {
    const memories = async (files: Record<string, string>) =>
      (await (await house(files)).load()).flatMap((file) => (/^memory/i.test(file.path) ? [file.path] : []));
    expect(await memories({ "memory.md": "a" })).toEqual(["memory.md"]);
    expect(await memories({ "memory.md": "same", "MEMORY.md": "same" })).toEqual(["MEMORY.md"]);
    expect(await memories({ "memory.md": "a", "MEMORY.md": "b" })).toEqual(["MEMORY.md", "memory.md"]);
  });

  test("do not include an emptied BOOTSTRAP.md", async () => {
    const { load } = await house({ ...furnished(), "BOOTSTRAP.md": " \n", "MEMORY.md": "" });
    expect((await load()).map((file) => file.path)).toEqual(ALL.slice(0, 6));
  });

  test("do not include a folder with a file's name", async () => {
    const { load } = await house({ "AGENTS.md/x.md": "trick" });
    expect((await load())[0]).toMatchObject({ path: "AGENTS.md", missing: true });
  });
});

describe("the store operations of bootstrap files", () => {
  test("a warm turn costs only the listing", async () => {
    const { load, calls } = await house(furnished());
    const cold = await load();
    expect(calls).toHaveLength(1 + ALL.length);
    const warm = await load();
    expect(calls).toEqual(["list"]);
    expect(warm).toEqual(cold);
  });

  test("only changed files are read again", async () => {
    const { load, calls, workspace } = await house(furnished());
    await load();
    await workspace.write("USER.md", "moved to Lisbon", { kind: "any" });
    const files = await load();
    expect(calls.map((call) => call.replace(/ .*workspace/, " "))).toEqual(["list", "get /USER.md"]);
    expect(files.find((file) => file.path === "USER.md")?.content).toBe("moved to Lisbon");
  });

  test("a file deleted between listing and reading is missing", async () => {
    const { workspace } = watchWorkspace();
    const listing = [await workspace.write("SOUL.md", "x", { kind: "new" })];
    await workspace.remove("SOUL.md", { kind: "any" });
    const cache: BootstrapCache = new Map();
    const { shown } = await loadBootstrap({ workspace, listing, cache, ...OWNER });
    expect(shown[1]).toMatchObject({ path: "SOUL.md", missing: true });
  });

  test("an outage is not taken for a missing file", async () => {
    const { workspace } = watchWorkspace({ before: (call) => call.startsWith("get") && new Error("lost") });
    const listing = [await workspace.write("SOUL.md", "x", { kind: "new" })];
    const request = { workspace, listing, cache: new Map(), ...OWNER };
    await expect(loadBootstrap(request)).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("the limits of bootstrap files", () => {
  test("a file is cut at 20,000 characters with a marker", async () => {
    const { load } = await house({ "AGENTS.md": `${"规".repeat(30_000)}end` });
    const [agents] = await load();
    expect(agents).toMatchObject({ rawChars: 30_003, truncated: true, missing: false });
    expect(agents!.injectedChars).toBe(agents!.content.length);
    expect(agents!.injectedChars).toBeLessThanOrEqual(20_000);
    expect(agents!.content).toMatch(/read AGENTS\.md to see them …\]\n\n规+end$/);
  });

  test("all files together are cut at 60,000 characters, and every name is still there", async () => {
    const big = "b".repeat(19_000);
    const { load } = await house(Object.fromEntries(ALL.map((path) => [path, big])));
    const files = await load();
    expect(files.map((file) => file.path)).toEqual(ALL);
    const total = files.reduce((sum, file) => sum + file.injectedChars, 0);
    expect(total).toBeLessThanOrEqual(60_000);
    expect(total).toBeGreaterThan(59_000);
    expect(files.map((file) => file.truncated)).toEqual([false, false, false, true, true, true, true, true]);
    for (const file of files.slice(3)) expect(file.content).toContain(`read ${file.path}`);
  });

  test("the limits can be set, down to 0", async () => {
    const { load } = await house(furnished());
    for (const totalChars of [0, 10, 500]) {
      const files = await load({ limits: { fileChars: 20_000, totalChars } });
      expect(files.reduce((sum, file) => sum + file.injectedChars, 0)).toBeLessThanOrEqual(totalChars);
    }
    const [agents] = await load({ limits: { fileChars: 8, totalChars: 60_000 } });
    expect(agents!.injectedChars).toBeLessThanOrEqual(8);
    expect((await load())[0]!.content).toBe("I am AGENTS.md");
  });

  test("only the ends of a huge file are read, and no character is split", async () => {
    const { load, calls } = await house({ "MEMORY.md": `start ${"记😀".repeat(400_000)} end` });
    const memory = (await load()).at(-1)!;
    expect(memory.content.startsWith("start 记😀")).toBe(true);
    expect(memory.content.endsWith("😀 end")).toBe(true);
    expect(memory.content).not.toContain("\ufffd");
    expect(memory.content.isWellFormed()).toBe(true);
    expect(memory.content).toMatch(/… about \d+ of \d+ characters/);
    expect(Math.abs(memory.rawChars - 1_200_010) / 1_200_010).toBeLessThan(0.01);
    expect(memory.injectedChars).toBeLessThanOrEqual(20_000);
    expect(calls.filter((call) => call.startsWith("get"))).toHaveLength(2);
    expect((await load()).at(-1)).toEqual(memory);
    expect(calls).toEqual(["list"]);
  });

  test("the ends of a huge file that changes meanwhile are never of two versions", async () => {
    const old = `old start ${"o".repeat(400_000)} old end`;
    let gets = 0;
    const { workspace, prefix } = watchWorkspace({
      async hold(call) {
        if (call.startsWith("get") && ++gets === 2) await env.FILES.put(`${prefix}MEMORY.md`, old.replaceAll("o", "n"));
      },
    });
    await env.FILES.put(`${prefix}MEMORY.md`, old);
    const load = async (cache: BootstrapCache) => {
      const listing = await workspace.list("");
      const { shown } = await loadBootstrap({ workspace, listing, cache, ...OWNER });
      return shown.at(-1)!.content;
    };
    const cache: BootstrapCache = new Map();
    const torn = await load(cache);
    expect(torn.startsWith("old start") && torn.endsWith("nld end")).toBe(false);
    expect(await load(cache)).toMatch(/^nld start n+[\s\S]*n nld end$/);
  });
});

describe("bootstrap files that are not plain text", () => {
  test("a byte order mark is dropped, and CRLF is kept", async () => {
    const { load } = await house({ "SOUL.md": "\ufeffkind\r\nand brief" });
    expect((await load())[1]!.content).toBe("kind\r\nand brief");
  });

  test("binary files are named and not shown", async () => {
    const { load } = await house({
      "SOUL.md": new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
      "TOOLS.md": "a\0b",
      "MEMORY.md": new Uint8Array(300_000).fill(0xff),
    });
    const files = await load();
    expect(files[1]).toMatchObject({
      content: "(SOUL.md is not UTF-8 text: 4 bytes that are not shown here.)",
      missing: false,
    });
    expect(files[2]!.content).toBe(
      "(TOOLS.md is full of control characters and no text: 3 bytes that are not shown here.)",
    );
    expect(files.at(-1)!.content).toBe("(MEMORY.md is not UTF-8 text: 300000 bytes that are not shown here.)");
  });

  test("an empty file has a marker", async () => {
    const { load } = await house({ "USER.md": "\n\n" });
    expect((await load())[4]).toMatchObject({ content: "(USER.md is empty.)", missing: false, truncated: false });
  });
});

describe("bootstrap files with faults", () => {
  test("show them and warn of them", async () => {
    const { look } = await house({
      "AGENTS.md": `${"Be brief. ".repeat(10)}\0`,
      "SOUL.md": new Uint8Array([...new TextEncoder().encode("Warm and dry. ".repeat(10)), 0xe9]),
      "TOOLS.md": "The drill\u{e0041} is in the shed.",
      "USER.md": new Uint8Array([0xff, 0xfe, 0x41, 0x00, 0x64, 0x00, 0x61, 0x00]),
      "agents.md": "me, too",
    });
    const { shown, warnings } = await look();
    const [agents, soul, tools, , user] = shown;
    expect(agents!.content.endsWith("brief. ␀")).toBe(true);
    expect(agents!.warnings).toEqual([
      "`AGENTS.md` has control characters (1); they are shown as pictures, such as ␀.",
    ]);
    expect(soul!.content.endsWith("dry. \ufffd")).toBe(true);
    expect(soul!.warnings).toEqual([expect.stringContaining("not UTF-8 (1)")]);
    expect(tools).toMatchObject({
      content: "The drill\u{e0041} is in the shed.",
      warnings: [expect.stringMatching(/\(1\)/)],
    });
    expect(user).toMatchObject({ content: "Ada" });
    expect(user).not.toHaveProperty("warnings");
    expect(warnings).toEqual([expect.stringContaining("`agents.md` is not shown")]);
  });

  test("a HEARTBEAT.md of headings alone counts as empty", async () => {
    const { load } = await house({ "HEARTBEAT.md": "# HEARTBEAT.md\n<!-- nothing -->\n- [ ]\n" });
    expect((await load())[5]).toMatchObject({ content: "(HEARTBEAT.md is empty.)", missing: false });
  });

  test("only the ends of a file of 10 MiB and more are read, whatever the limit", async () => {
    const { load, calls } = await house({ "SOUL.md": new Uint8Array(10 * 1024 * 1024 + 1).fill(0x61) });
    const [, soul] = await load({ limits: { fileChars: 5_000_000, totalChars: 60_000 } });
    expect(soul).toMatchObject({ truncated: true, missing: false });
    expect(soul!.content).toMatch(/^a+\n\n\[… about \d+ of 10485761 characters are left out here: read SOUL\.md/);
    expect(calls.filter((call) => call.startsWith("get"))).toHaveLength(2);
  });
});

describe("bootstrap files that count as read", () => {
  test("have the etag under which they can be overwritten, unless cut, changed, missing or binary", async () => {
    const { load, cache, workspace } = await house({
      "AGENTS.md": "x".repeat(30_000),
      "SOUL.md": "whole",
      "TOOLS.md": new Uint8Array([255]),
      "USER.md": `${"not as it is ".repeat(9)}\0`,
      "HEARTBEAT.md": "# nothing",
    });
    const etags = etagsShown(await load(), cache);
    expect([...etags.keys()]).toEqual(["SOUL.md"]);
    expect(etags.get("SOUL.md")).toBe((await workspace.stat("SOUL.md")).etag);
  });
});

test("a HEARTBEAT.md of headings, comments, empty items, rules and empty code has no tasks", () => {
  const nothing = ["", " \n\t\r\n", "# HEARTBEAT.md\r\n## Later", "- \n* [ ]\n+ [x]\n1.\n2) ", "---", "```md\n```"];
  for (const text of [...nothing, "<!-- check\nthe mail -->", "<!-- never closed\ncheck the mail"]) {
    expect(isEffectivelyEmpty(text), text).toBe(true);
  }
});

test("a HEARTBEAT.md with words has tasks, also in an item, after a comment, and as a tag", () => {
  for (const text of ["Check the mail", "# A\n- [ ] mail", "<!-- x --> mail", "#mail", "1. mail", "```\nmail\n```"]) {
    expect(isEffectivelyEmpty(text), text).toBe(false);
  }
});
