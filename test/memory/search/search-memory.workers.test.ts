import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { type Hit, MemoryError } from "../../../src/memory/agent-memory.ts";
import { searchMemory } from "../../../src/memory/search/search-memory.ts";
import type { VectorAnswer } from "../../../src/memory/vectors/vector-search.ts";
import { indexNotes, searchDeps, settingsOf } from "./search-lab.ts";

const embedder = { provider: "openai", model: "text-embedding-3-small", sees: "meaning" } as const;

async function search(agentId: string, query: string, deps: Parameters<typeof searchDeps>[1] = {}): Promise<Hit[]> {
  return (await searchMemory(searchDeps(agentId, deps), { query })).results;
}

function near(...chunks: [id: number | undefined, similarity: number][]): { nearest(): Promise<VectorAnswer> } {
  const found = chunks.map(([chunkId = 0, similarity]) => ({ chunkId, similarity }));
  return { nearest: async () => ({ near: found, embedder }) };
}

/** Lines without words of the queries. */
function filler(count: number, about: string): string {
  return Array.from(
    { length: count },
    (_, at) => `- Item ${at} of the ${about}, as it was agreed with everybody.`,
  ).join("\n");
}

describe("results of a search", () => {
  test("another form of a word finds a note, and the snippet is the sentence, not the head of its chunk", async () => {
    const text = `# Household\n\n${filler(9, "shopping list")}\n- The kittens were vaccinated on Monday.\n${filler(9, "garden plan")}`;
    await indexNotes("vet", [
      { path: "memory/2026-03-02.md", text },
      { path: "MEMORY.md", text: filler(20, "budget") },
    ]);
    const [hit, ...others] = await search("vet", "vaccinate cats");
    expect(others).toEqual([]);
    expect(hit?.snippet).toContain("vaccinated on Monday");
    expect(hit?.snippet).not.toContain("# Household");
    expect(hit?.snippet.split("\n")).toEqual(text.split("\n").slice((hit?.startLine ?? 0) - 1, hit?.endLine));
    expect(hit?.citation).toBe(`memory/2026-03-02.md#L${hit?.startLine}-L${hit?.endLine}`);
    expect(hit?.reason).toMatchObject({ legs: "keyword", keyword: { rank: 1, terms: ["vaccinate"] }, boosts: [] });
  });

  test("the only word of a memory of one line is found with a sufficient score", async () => {
    await indexNotes("small", [{ path: "MEMORY.md", text: "Likes oolong." }]);
    const [hit] = await search("small", "oolong");
    expect(hit).toMatchObject({ startLine: 1, endLine: 1, snippet: "Likes oolong.", citation: "MEMORY.md#L1" });
    expect(hit?.score).toBeGreaterThan(0.6);
    expect(hit?.score).toBeLessThanOrEqual(1);
    expect(await search("small", "coffee")).toEqual([]);
  });

  test("words of one and two characters find Chinese, Japanese and Korean", async () => {
    await indexNotes("east", [
      { path: "memory/zh.md", text: "今天去医院做了体检。\n医生说一切正常。" },
      { path: "memory/ja.md", text: "東京タワーへ行きました。" },
      { path: "memory/ko.md", text: "한국어를 공부했다." },
    ]);
    expect((await search("east", "医"))[0]?.snippet).toContain("医院");
    expect((await search("east", "体检"))[0]?.snippet).toContain("体检");
    expect((await search("east", "什么时候去医院体检"))[0]?.path).toBe("memory/zh.md");
    expect((await search("east", "タワー"))[0]?.path).toBe("memory/ja.md");
    expect((await search("east", "공부"))[0]?.path).toBe("memory/ko.md");
    expect(await search("east", "检体")).toEqual([]);
  });

  test("identifiers are found whole and by parts, names without accents, and emoji", async () => {
    await indexNotes("code", [
      { path: "memory/a.md", text: "parseQuery lives in src/memory/parse-query.ts since v1.12.3" },
      { path: "memory/b.md", text: "Set MAX_ROWS=100 🚀" },
      { path: "memory/c.md", text: "Zoë O'Brien, a café in Łódź" },
    ]);
    const expected = { parsequery: "a", query: "a", "parse-query.ts": "a", "v1.12.3": "a", max_rows: "b", "🚀": "b" };
    const named = { zoe: "c", "o'brien": "c", OBrien: "c", cafe: "c", lodz: "c" };
    for (const [query, name] of Object.entries({ ...expected, ...named })) {
      expect([query, (await search("code", query)).map(({ path }) => path)]).toEqual([query, [`memory/${name}.md`]]);
    }
  });

  test("a date in any spelling finds the note of that day", async () => {
    const days = ["2026-05-07", "2026-05-08", "2026-06-08"];
    await indexNotes(
      "dates",
      days.map((day) => ({ path: `memory/${day}.md`, text: "- Went for a long walk.\n- Had tea." })),
    );
    for (const day of ["2026-05-08", "8 May 2026", "May 8th, 2026", "on the 8th of May", "2026年5月8日"]) {
      const [hit] = await search("dates", `walk ${day}`);
      expect([day, hit?.path]).toEqual([day, "memory/2026-05-08.md"]);
      expect(hit?.reason.boosts).toEqual(["path"]);
    }
  });

  test("a day, a week or a month named by its distance from today finds its notes", async () => {
    const days = ["2026-10-05", "2026-10-24", "2026-10-31", "2026-11-01"];
    await indexNotes(
      "distance",
      days.map((day, at) => ({ path: `memory/${day}.md`, text: `- Walked for ${at + 2} hours.\n- Had tea.` })),
    );
    // Now is Sunday 2026-11-01 in UTC.
    for (const [query, day] of [
      ["what about the walk yesterday", "2026-10-31"],
      ["昨天 walk", "2026-10-31"],
      ["walk last week", "2026-10-24"],
      ["上周 walk", "2026-10-24"],
      ["walk today", "2026-11-01"],
    ] as const) {
      const [hit] = await search("distance", query);
      expect([query, hit?.path]).toEqual([query, `memory/${day}.md`]);
    }
    const month = await search("distance", "上个月 walk");
    expect(month[0]?.path).toMatch(/2026-10/);
    expect((await search("distance", "walk in July")).length).toBeGreaterThan(0);
  });

  test("a word with one wrong letter is found, and one that is no slip stays unknown", async () => {
    await indexNotes("slips", [{ path: "MEMORY.md", text: "The festival is in June.\nThe vaccination was fine." }]);
    for (const query of ["fesetival", "fetsival", "vacination"]) {
      expect([query, (await search("slips", query)).length]).toEqual([query, 1]);
    }
    expect(await search("slips", "fevistal")).toEqual([]);
  });

  test("one decision is found among many notes that recur", async () => {
    const days = Array.from({ length: 30 }, (_, at) => `2026-09-${String(at + 1).padStart(2, "0")}`);
    await indexNotes("recurring", [
      ...days.map((day, at) => ({
        path: `memory/${day}.md`,
        text: `# ${day}\n\n- Standup ${at}: launch is on track.`,
      })),
      {
        path: "memory/2026-10-02-decision.md",
        text: "We decided: the launch moves to 4 December, because of the audit.",
      },
    ]);
    for (const query of ["when is the launch", "launch date", "launch postponed reason"]) {
      const hits = await search("recurring", query);
      const recurring = hits.filter(({ path }) => !path.includes("decision"));
      expect([query, recurring.length, hits.some(({ path }) => path.includes("decision"))]).toEqual([query, 1, true]);
      expect(recurring[0]?.path).toBe("memory/2026-09-30.md");
    }
  });

  test("an exact phrase and words in the path raise a result", async () => {
    await indexNotes("raised", [
      { path: "memory/one.md", text: "The box is red and the door is big." },
      { path: "memory/two.md", text: "The big red box stands behind the door." },
      { path: "memory/door.md", text: "Painted the box in red, a big job." },
    ]);
    const hits = await search("raised", "big red box door");
    expect(hits.map(({ path, reason }) => [path, reason.boosts])).toContainEqual(["memory/door.md", ["path"]]);
    const [phrase] = await search("raised", '"big red box"');
    expect(phrase).toMatchObject({ path: "memory/two.md", reason: { boosts: ["phrase"] } });
  });
});

describe("limits of a search", () => {
  test("a search sees no other agent's chunks and no building or dead versions", async () => {
    await indexNotes("mine", [
      { path: "memory/live.md", text: "The password hint is marmalade." },
      { path: "memory/next.md", text: "marmalade, next version", state: "building" },
      { path: "memory/old.md", text: "marmalade, old version", state: "dead" },
    ]);
    await indexNotes("theirs", [{ path: "memory/other.md", text: "Jam is not marmalade." }]);
    expect((await search("mine", "marmalade")).map(({ path }) => path)).toEqual(["memory/live.md"]);
    expect((await search("theirs", "marmalade")).map(({ path }) => path)).toEqual(["memory/other.md"]);
    expect(await search("nobody", "marmalade")).toEqual([]);
  });

  test("sources that are not searched and paths that may not be shown are left out", async () => {
    await indexNotes("sources", [
      { path: "memory/a.md", text: "A note about sailing." },
      { path: "sessions/s1.md", text: "Talked about sailing.", source: "sessions" },
      { path: "sessions/s2.md", text: "Talked more about sailing.", source: "sessions" },
    ]);
    expect((await search("sources", "sailing")).map(({ path }) => path)).toEqual(["memory/a.md"]);
    const deps = { settings: settingsOf({ sources: ["memory", "sessions"] }) };
    expect(await search("sources", "sailing", deps)).toHaveLength(3);
    const asked = await searchMemory(searchDeps("sources", deps), { query: "sailing", sources: ["sessions"] });
    expect(asked.results.map(({ source }) => source)).toEqual(["sessions", "sessions"]);
    const seen = await search("sources", "sailing", {
      ...deps,
      visibility: { mayShow: (path) => path !== "sessions/s1.md" },
    });
    expect(seen.map(({ path }) => path).toSorted()).toEqual(["memory/a.md", "sessions/s2.md"]);
  });

  test.each([
    ["nothing", ""],
    ["space", " \n\t"],
    ["one letter", "x"],
    ["one mark", "?"],
    ["marks alone", "!!! ... ???"],
    ["a quote", '"'],
    ["NUL", "\u0000"],
    ["half a character", "\ud800"],
    ["the other half", "\udc00 lone"],
    ["marks that nobody sees", "%_\\\u202e\ufeff\u0301"],
    ["SQL", "' OR 1=1; --"],
    ["NEAR", 'NEAR("a" "b", 3)'],
    ["columns", "terms : secret AND NOT place : x*"],
    ["operators", "^start - {terms place} : a + b"],
    ["operators alone", "AND OR NOT"],
    ["emoji", "🚀🏳️‍🌈👩‍💻"],
    ["5,000 characters of Chinese", "漢".repeat(5_000)],
    ["5,000 small words", "a ".repeat(5_000)],
    ["a word of 10,000 letters", "x".repeat(10_000)],
    ["1,500 words", Array.from({ length: 1_500 }, (_, at) => `word${at}`).join(" ")],
  ])("a query of %s gets an answer", async (name, query) => {
    await indexNotes("strange", [{ path: `memory/${name}.md`, text: "Nothing but a line, word7 and 漢字." }]);
    const { results, mode } = await searchMemory(searchDeps("strange"), { query });
    expect(mode).toBe("keywords");
    for (const { score, snippet } of results)
      expect([score > 0 && score <= 1, snippet]).toEqual([true, expect.any(String)]);
  });
});

describe("words and vectors", () => {
  test("a near chunk is shown by its best line, with the reason", async () => {
    const ids = await indexNotes("near", [
      { path: "memory/car.md", text: "# Car\n\nThe vehicle went to the garage.\nIt cost 300 euros." },
      { path: "memory/bike.md", text: "The automobile club sent a letter." },
    ]);
    const vectorSearch = near([ids.get("memory/car.md")?.[0], 0.7], [ids.get("memory/bike.md")?.[0], 0.5]);
    const answer = await searchMemory(searchDeps("near", { vectorSearch }), { query: "automobile repair" });
    expect(answer).toMatchObject({ mode: "hybrid", embedder: { provider: "openai", model: "text-embedding-3-small" } });
    const [first, second] = answer.results;
    expect([first?.path, second?.path].toSorted()).toEqual(["memory/bike.md", "memory/car.md"]);
    const car = answer.results.find(({ path }) => path === "memory/car.md");
    expect(car?.reason).toEqual({ legs: "vector", vector: { rank: 1, similarity: 0.7, score: 0.7 }, boosts: [] });
    expect(car).toMatchObject({ startLine: 1, endLine: 4 });
    const bike = answer.results.find(({ path }) => path === "memory/bike.md");
    expect(bike?.reason).toMatchObject({
      legs: "both",
      keyword: { rank: 1, terms: ["automobile"] },
      vector: { rank: 2 },
    });
  });

  test("vectors of deleted chunks and of other agents are ignored", async () => {
    const gone = await indexNotes("gone", [{ path: "memory/gone.md", text: "Old text.", state: "dead" }]);
    const others = await indexNotes("elsewhere", [{ path: "memory/theirs.md", text: "Their text." }]);
    const vectorSearch = near(
      [gone.get("memory/gone.md")?.[0], 0.9],
      [others.get("memory/theirs.md")?.[0], 0.9],
      [987_654, 0.9],
    );
    expect(await search("gone", "anything", { vectorSearch })).toEqual([]);
  });

  test("if vectors fail, words answer and the answer is degraded", async () => {
    await indexNotes("failed", [{ path: "MEMORY.md", text: "Prefers trains." }]);
    const degraded = { code: "embedder_failed", message: "openai did not answer." } as const;
    const vectorSearch = { nearest: async () => ({ near: [], degraded }) };
    const answer = await searchMemory(searchDeps("failed", { vectorSearch }), { query: "trains" });
    expect(answer).toMatchObject({ mode: "keywords", degraded, results: [{ path: "MEMORY.md" }] });
  });

  test("near passages that may not be shown do not displace those that may", async () => {
    const hidden = Array.from({ length: 40 }, (_, at) => ({
      path: `sessions/telegram/group/-1/ses_${"0".repeat(26)}/${at + 1}.md`,
      text: `Sailing with stranger ${at}.`,
      source: "sessions" as const,
    }));
    const ids = await indexNotes("hidden-near", [...hidden, { path: "memory/sea.md", text: "A trip on the fjord." }]);
    const all = [...ids.values()].flat().map((chunkId, at) => ({ chunkId, similarity: 0.9 - at / 1000 }));
    const vectorSearch = { nearest: async (_: string, count: number) => ({ near: all.slice(0, count), embedder }) };
    const settings = settingsOf({ sources: ["memory", "sessions"] });
    const visibility = { mayShow: (path: string) => !path.startsWith("sessions/"), transcripts: "sessions/main/" };
    const paths = (hits: readonly Hit[]) => hits.map(({ path }) => path);
    expect(paths(await search("hidden-near", "boats", { settings, vectorSearch, visibility }))).toEqual([
      "memory/sea.md",
    ]);
    const deps = searchDeps("hidden-near", { settings, vectorSearch });
    const { results } = await searchMemory(deps, { query: "boats", sources: ["memory"] });
    expect(paths(results)).toEqual(["memory/sea.md"]);
  });
});

describe("a search and the state of the index", () => {
  test("recent writes are indexed before the search", async () => {
    await indexNotes("fresh", [{ path: "MEMORY.md", text: "Old news." }]);
    await env.MEMORY.prepare(
      "INSERT INTO changes (agent_id, path, token, at) VALUES ('fresh', 'memory/new.md', 't', 1)",
    ).run();
    const ages: unknown[] = [];
    const hits = await search("fresh", "pomegranate", {
      async freshen(age) {
        ages.push(age);
        await indexNotes("fresh", [{ path: "memory/new.md", text: "Bought a pomegranate." }]);
        return true;
      },
    });
    expect(ages).toEqual([{ pending: 1, comparedAt: 1 }]);
    expect(hits.map(({ path }) => path)).toEqual(["memory/new.md"]);
  });

  test("the answer reports files that are not indexed yet", async () => {
    expect((await searchMemory(searchDeps("unborn"), { query: "x" })).degraded?.code).toBe("index_incomplete");
    await indexNotes("behind", [{ path: "MEMORY.md", text: "Something." }]);
    await env.MEMORY.prepare(
      "INSERT INTO changes (agent_id, path, token, at) VALUES ('behind', 'memory/b.md', 't', 1)",
    ).run();
    const answer = await searchMemory(searchDeps("behind"), { query: "something" });
    expect(answer).toMatchObject({
      index: { files: 1, chunks: 1, pending: 1 },
      degraded: { message: "1 file waits to be indexed." },
    });
  });

  test("a failing database is reported as unavailable", async () => {
    const database = { prepare: () => ({ bind: () => ({}) }), batch: () => Promise.reject(new Error("down")) } as any;
    const failed = await searchMemory(searchDeps("down", { database }), { query: "x" }).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(MemoryError);
    expect(failed).toMatchObject({ code: "unavailable" });
  });
});
