import { describe, expect, test } from "vitest";
import { MemoryLab, refusal } from "./memory-lab.ts";

const CATS = "# Cats\n\nMiso was vaccinated in May.\nTofu hides under the sofa.\n";

describe("a note that is written through the API", () => {
  const lab = new MemoryLab([{ id: "scribe" }]);

  test("is found at once, with where it stands and why", async () => {
    await lab.put("scribe", "memory/cats.md", CATS);
    const answer = await lab.search("scribe", "vaccinate cats");
    expect(answer.results[0]).toMatchObject({ path: "memory/cats.md", source: "memory", reason: expect.any(Object) });
    expect(answer.results[0]?.snippet).toContain("Miso was vaccinated in May.");
    expect(answer).toMatchObject({ agent: "scribe", query: "vaccinate cats", tookMs: expect.any(Number) });
  });

  test("is found as it is after it was overwritten, and not as it was", async () => {
    await lab.put("scribe", "memory/cats.md", CATS);
    expect(await lab.found("scribe", "sofa")).toHaveLength(1);
    await lab.put("scribe", "memory/cats.md", CATS.replace("sofa", "wardrobe"));
    expect(await lab.found("scribe", "wardrobe")).toHaveLength(1);
    const { results } = await lab.search("scribe", "sofa");
    expect(results.map(({ snippet }) => snippet).join()).not.toContain("sofa");
  });

  test("is gone at once when it is deleted, and back when it is restored", async () => {
    await lab.put("scribe", "memory/trip.md", "The ferry to Naxos leaves at dawn.");
    expect(await lab.found("scribe", "ferry")).toEqual(["memory/trip.md#L1"]);
    await lab.remove("scribe", "memory/trip.md");
    expect(await lab.found("scribe", "ferry")).toEqual([]);
    const { versions } = await (await lab.call("GET", "scribe/versions/memory/trip.md")).json<any>();
    await lab.call("POST", "scribe/versions/memory/trip.md", { versionId: versions[0].versionId });
    expect(await lab.found("scribe", "ferry")).toEqual(["memory/trip.md#L1"]);
  });

  test("is one file in whichever way its accents are written", async () => {
    await lab.put("scribe", "memory/cafe\u0301.md", "Closed on Tuesdays.");
    await lab.put("scribe", "memory/caf\u00e9.md", "Open on Tuesdays.");
    expect(await lab.found("scribe", "tuesdays")).toEqual(["memory/caf\u00e9.md#L1"]);
  });

  test("is no memory where it stands elsewhere", async () => {
    await lab.put("scribe", "drafts/plan.md", "A zeppelin over the harbour.");
    expect(await lab.found("scribe", "zeppelin")).toEqual([]);
  });
});

describe("what others write", () => {
  test("is another agent's alone", async () => {
    const lab = new MemoryLab([{ id: "ann" }, { id: "bob" }]);
    await lab.put("ann", "memory/secret.md", "The safe is behind the aquarium.");
    await lab.put("bob", "memory/own.md", "Bob likes aquariums, too.");
    expect(await lab.found("ann", "aquarium")).toEqual(["memory/secret.md#L1"]);
    expect(await lab.found("bob", "aquarium")).toEqual(["memory/own.md#L1"]);
    const refused = await refusal(await lab.call("GET", "bob/memory/file?path=memory/secret.md"));
    expect(refused).toMatchObject({ status: 404, code: "not_found" });
  });

  test("is known to all who share the workspace that it was written in", async () => {
    const lab = new MemoryLab([
      { id: "left", workspace: "shared-notes" },
      { id: "right", workspace: "shared-notes" },
    ]);
    await lab.put("left", "memory/rota.md", "Friday is washing day.");
    expect(await lab.found("right", "washing")).toHaveLength(1);
    await lab.put("left", "memory/rota.md", "Friday is baking day.");
    expect(await lab.found("right", "baking")).toHaveLength(1);
    expect(await lab.found("right", "washing")).toHaveLength(0);
  });

  test("is found by comparing, where nobody was told", async () => {
    const lab = new MemoryLab([{ id: "outer" }]);
    await lab.upload("outer", "memory/synced.md", "The lighthouse keeper retired.");
    expect(await lab.found("outer", "lighthouse")).toHaveLength(1);
    await lab.upload("outer", "memory/later.md", "A new lantern was lit.");
    expect(await lab.found("outer", "lantern")).toHaveLength(0);
    expect((await lab.index("outer")).status).toBe(200);
    expect(await lab.found("outer", "lantern")).toHaveLength(1);
  });
});

describe("a memory of a thousand notes", () => {
  test("answers while its first index is made, says so, and is whole when the queue is done", async () => {
    const lab = new MemoryLab([{ id: "archive" }]);
    const filler = "Nothing of note happened, and the kettle sang. ".repeat(30);
    const names = Array.from({ length: 1000 }, (_, n) => String(n).padStart(4, "0"));
    for (let at = 0; at < names.length; at += 50) {
      const some = names.slice(at, at + 50);
      await Promise.all(some.map((n) => lab.upload("archive", `memory/${n}.md`, `Entry word${n}x.\n${filler}\n`)));
    }
    const early = await lab.search("archive", "kettle");
    expect(early.degraded).toMatchObject({ code: "index_incomplete" });
    expect(early.index.files).toBeLessThan(1000);
    expect(lab.asked).toEqual([{ agentId: "archive", delaySeconds: 0 }]);
    for (let round = 0; round < 50 && !(await lab.status("archive")).complete; round++) {
      await lab.deliver([{ kind: "index-memory", agentId: "archive" }]);
    }
    expect(await lab.status("archive")).toMatchObject({ files: 1000, pending: 0, complete: true, busy: false });
    for (const n of ["0000", "0500", "0999"]) {
      expect((await lab.found("archive", `word${n}x`))[0]).toBe(`memory/${n}.md#L1`);
    }
    expect((await lab.search("archive", "kettle")).degraded).toBeUndefined();
  }, 120_000);
});

describe("the queue of memory", () => {
  test("gets one message for many writes, after a delay", async () => {
    const lab = new MemoryLab([{ id: "hasty" }]);
    for (const n of [1, 2, 3]) await lab.put("hasty", `memory/${n}.md`, `Note ${n}.`);
    await lab.put("hasty", "drafts/no-memory.md", "x");
    expect(lab.asked).toEqual([{ agentId: "hasty", delaySeconds: 2 }]);
    expect(await lab.status("hasty")).toMatchObject({ pending: 3, complete: false });
    await lab.deliver([{ kind: "index-memory", agentId: "hasty" }]);
    expect(await lab.status("hasty")).toMatchObject({ files: 3, pending: 0, complete: true });
  });

  test("gets no message when watching is off, and the next search indexes the change", async () => {
    const lab = new MemoryLab([{ id: "calm", memorySearch: { sync: { watch: false } } }]);
    await lab.search("calm", "anything");
    lab.asked.length = 0;
    await lab.put("calm", "memory/a.md", "A heron on the weir.");
    expect(lab.asked).toEqual([]);
    expect(await lab.found("calm", "heron")).toHaveLength(1);
  });

  test("does the same work once, however often it is asked", async () => {
    const lab = new MemoryLab([{ id: "twice" }]);
    await lab.put("twice", "memory/a.md", "A heron on the weir.");
    const message = { kind: "index-memory", agentId: "twice" };
    expect(await lab.deliver([message, message])).toEqual({ acked: ["m0", "m1"], retried: [] });
    expect(await lab.deliver([message])).toEqual({ acked: ["m0"], retried: [] });
    expect(await lab.status("twice")).toMatchObject({ files: 1, chunks: 1 });
  });

  test("brings a message again where the index does not answer", async () => {
    const prepare = () => {
      throw new Error("D1 is down");
    };
    const lab = new MemoryLab([{ id: "down" }], { MEMORY: { prepare } });
    expect(await lab.deliver([{ kind: "index-memory", agentId: "down" }])).toEqual({ acked: [], retried: ["m0"] });
    await lab.put("down", "memory/a.md", "Written all the same.");
    expect(await refusal(await lab.call("POST", "down/memory/search", { query: "x" }))).toMatchObject({
      status: 503,
      code: "unavailable",
      hint: expect.any(String),
    });
  });
});

describe("a memory that is switched off", () => {
  const lab = new MemoryLab([{ id: "off", memorySearch: { enabled: false } }]);

  test("says so, and how it is switched on", async () => {
    await lab.put("off", "memory/a.md", "Nobody looks here.");
    for (const answer of [
      await lab.call("POST", "off/memory/search", { query: "here" }),
      await lab.call("POST", "off/memory/index"),
      await lab.call("GET", "off/memory/file?path=memory/a.md"),
    ]) {
      const refused = await refusal(answer);
      expect(refused).toMatchObject({
        status: 409,
        code: "conflict",
        hint: expect.stringContaining("memorySearch.enabled"),
      });
    }
    expect(await lab.status("off")).toMatchObject({ enabled: false, files: 0 });
    expect(await lab.deliver([{ kind: "index-memory", agentId: "off" }])).toEqual({ acked: ["m0"], retried: [] });
    expect(lab.asked).toEqual([]);
  });
});

describe("lines of a memory file", () => {
  const lab = new MemoryLab([{ id: "reader", memorySearch: { extraPaths: ["notes"] } }]);

  test("are read from where one likes, and say where it goes on", async () => {
    await lab.put("reader", "MEMORY.md", Array.from({ length: 300 }, (_, n) => `Line ${n + 1}.`).join("\n"));
    const path = "MEMORY.md";
    expect(await lab.read("reader", { path })).toMatchObject({
      startLine: 1,
      endLine: 120,
      totalLines: 300,
      next: 121,
    });
    expect(await lab.read("reader", { path: "./MEMORY.md", from: "299", lines: "5" })).toEqual({
      path,
      source: "memory",
      text: "Line 299.\nLine 300.",
      startLine: 299,
      endLine: 300,
      totalLines: 300,
    });
    expect(await lab.read("reader", { path, from: "301" })).toMatchObject({ text: "", startLine: 0, totalLines: 300 });
  });

  test("are cut to what is given at once, a line of a megabyte too", async () => {
    await lab.put("reader", "notes/long.txt", `${"x".repeat(1_000_000)}\nlast`);
    const passage = await lab.read("reader", { path: "notes/long.txt" });
    expect(passage).toMatchObject({ startLine: 1, endLine: 1, isCut: true, next: 2 });
    expect(passage.text).toHaveLength(12_000);
  });

  test("are refused for a path outside of memory, a binary file or a missing file, each with what to do", async () => {
    await lab.put("reader", "AGENTS.md", "Not a memory.");
    await lab.put("reader", "memory/picture.md", new Uint8Array([0, 1, 2, 3, 255, 254, 0, 0, 1, 2]));
    for (const [path, status, says] of [
      ["AGENTS.md", 400, "no file of this memory"],
      ["../other/MEMORY.md", 400, ".."],
      ["sessions/main/x.md", 400, "no file of this memory"],
      [".openclaw/workspace-state.json", 400, "no file of this memory"],
      ["memory/picture.md", 415, "cannot be read"],
      ["memory/2031-01-01.md", 404, "Nothing was noted on that day"],
      ["memory/none.md", 404, "memory/none.md"],
    ] as const) {
      const refused = await refusal(await lab.call("GET", `reader/memory/file?${new URLSearchParams({ path })}`));
      expect(refused).toMatchObject({ status, message: expect.stringContaining(says), hint: expect.any(String) });
    }
  });
});

describe("what cannot be asked", () => {
  const lab = new MemoryLab([{ id: "picky" }]);

  test("is refused with the name of the field", async () => {
    for (const [body, field] of [
      [{}, "query"],
      [{ query: "" }, "query"],
      [{ query: 7 }, "query"],
      [{ query: "x".repeat(20_001) }, "20000"],
      [{ query: "x", maxResults: 0 }, "maxResults"],
      [{ query: "x", maxResults: 51 }, "maxResults"],
      [{ query: "x", minScore: 2 }, "minScore"],
      [{ query: "x", sources: ["elsewhere"] }, "sources"],
      [{ query: "x", limit: 3 }, "limit"],
    ] as const) {
      const refused = await refusal(await lab.call("POST", "picky/memory/search", body));
      expect(refused).toMatchObject({ status: 400, message: expect.stringContaining(field) });
    }
    for (const query of ["", "path=", "path=MEMORY.md&from=0", "path=MEMORY.md&lines=1e3", "path=MEMORY.md&form=1"]) {
      expect((await lab.call("GET", `picky/memory/file?${query}`)).status).toBe(400);
    }
    expect((await lab.call("POST", "picky/memory/search", { query: "x".repeat(200_000) })).status).toBe(413);
    expect((await lab.call("POST", "picky/memory/index", { forse: true })).status).toBe(400);
    expect((await lab.call("GET", "nobody/memory/status")).status).toBe(404);
  });

  test("does not include any query text: every string is answered", async () => {
    await lab.put("picky", "memory/a.md", "A heron on the weir. It's 5 o'clock \"sharp\". 猫在睡觉 👍🏽");
    const odd = [
      ...[
        "a",
        "猫",
        "5",
        "?",
        " ",
        "\n",
        "\u0000",
        "\ud800",
        "👍🏽",
        "🏴‍☠️",
        "-",
        "*",
        "''",
        '"',
        "NEAR(",
        "heron AND",
        "OR",
        "NOT",
      ],
      ...[
        "heron NOT weir",
        "terms:heron",
        "{terms place}: heron",
        "^heron",
        "heron*",
        "(((",
        "\\",
        "%",
        "_",
        ";--",
        "é".normalize("NFD"),
      ],
      ...["x".repeat(10_000), "heron ".repeat(3_333), "猫".repeat(10_000), '"'.repeat(10_000), "?!.,".repeat(5_000)],
      Array.from({ length: 3_000 }, (_, n) => `w${n}`).join(" "),
    ];
    for (const query of odd) {
      const response = await lab.call("POST", "picky/memory/search", { query });
      expect([query.slice(0, 20), response.status]).toEqual([query.slice(0, 20), 200]);
    }
    for (const query of ["猫", "heron NOT weir", '"sharp"', "heron ".repeat(3_333)]) {
      expect([query.slice(0, 20), (await lab.found("picky", query)).length]).toEqual([query.slice(0, 20), 1]);
    }
  });
});
