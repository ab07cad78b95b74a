import { beforeAll, describe, expect, test } from "vitest";
import { transcriptReach } from "../../../src/services/memory/transcript-reach.ts";
import { asked, call, finished, say, script } from "../../flow/client.ts";
import { chat, exchange, found, indexAll, putMessages, rememberTranscripts, talkKey } from "./transcripts-lab.ts";

type Visibility = "self" | "tree" | "agent" | "all";

function sightOf(sessionKey: string, visibility: Visibility, sessionId?: string) {
  const tools = { sessions: { visibility }, agentToAgent: { enabled: false, allow: [] } };
  return transcriptReach({ key: sessionKey, sessionId, agentId: "main" }, tools as never);
}

const pageOf = (session: string) => `sessions/${session}/ses_${"0".repeat(26)}/1.md`;

describe("what a turn may see of transcripts", () => {
  test.each([
    ["self", ["main"], "sessions/main/"],
    ["tree", ["main"], "sessions/main/"],
    ["agent", ["main", "webchat/direct/ann", "telegram/group/-1"], undefined],
    ["all", ["main", "webchat/direct/ann", "telegram/group/-1"], undefined],
  ] as const)("is what tools.sessions.visibility '%s' lets its session reach", (visibility, shown, transcripts) => {
    const sight = sightOf("agent:main:main", visibility);
    const all = ["main", "webchat/direct/ann", "telegram/group/-1"];
    expect(all.filter((session) => sight.mayShow(pageOf(session)))).toEqual(shown);
    expect(sight.transcripts).toBe(transcripts);
  });

  test("is not the conversation that it is in, but other ones of its session", () => {
    const sight = sightOf("agent:main:main", "agent", `ses_${"1".repeat(26)}`);
    expect(sight.mayShow(`sessions/main/ses_${"1".repeat(26)}/1.md`)).toBe(false);
    expect(sight.mayShow(pageOf("main"))).toBe(true);
  });

  test("is nothing at a path that no transcript can have, and does not touch files", () => {
    const sight = sightOf("agent:main:main", "tree");
    expect(sight.mayShow("sessions/main/notes.md")).toBe(false);
    expect(sight.mayShow("memory/2026-11-22.md")).toBe(true);
    expect(sightOf("agent:main:direct:7", "tree").mayShow(pageOf("direct/7"))).toBe(true);
    expect(sightOf("agent:main:direct:7", "tree").mayShow(pageOf("direct/78"))).toBe(false);
  });
});

describe("a search", () => {
  beforeAll(async () => {
    await rememberTranscripts();
    // All that is said elsewhere is nearer to the question than what was said here.
    await exchange(talkKey("crowd"), "Hello", "Hi.");
    await putMessages(
      talkKey("crowd"),
      100_000,
      chat(1_000, (n) => `The password of the boathouse is ${n}: boathouse password. ${"Waves and wind. ".repeat(20)}`),
    );
    await exchange(talkKey("crowd"), "Well?", "Yes.");
    await exchange(
      talkKey("alone"),
      "By the way, among much else that I have to tell you, the boathouse was painted.",
      "Nice.",
    );
    await indexAll();
  });

  test("gives what was said in the session, however much of what it may not see is better", async () => {
    const paths = (await found("boathouse password", sightOf(talkKey("alone"), "tree"))).map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !path.startsWith("sessions/webchat/direct/alone/"))).toEqual([]);
    expect((await found("boathouse password")).length).toBeGreaterThan(1);
  });

  test("of a turn and a look at what it found keep to the session's own, and the API sees all", async () => {
    const name = "reach-turn";
    const sessionKey = talkKey("alone");
    const { results } = await search("boathouse password");
    const foreign = results.find(({ path }) => path.includes("/crowd/"))!.path;
    await script(name, [
      { calls: [{ name: "memory_search", args: { query: "boathouse password" } }] },
      { calls: [{ name: "memory_get", args: { path: foreign } }] },
      { text: "Done." },
    ]);
    await finished((await say("/new What do you know?", name, { sessionKey })).runId);
    const [hits, look] = (await asked(name))
      .at(-1)!
      .body.messages.flatMap(({ role, content }: any) => (role === "tool" ? [content] : []));
    expect(hits).toContain("the boathouse was painted");
    expect(hits).toContain("EXTERNAL_UNTRUSTED_CONTENT");
    expect(hits).not.toContain("password of the boathouse");
    expect(look).toContain("is no file of this memory");
    expect((await file(foreign)).status).toBe(200);
  });

  async function search(query: string) {
    const response = await call("POST", "/v1/agents/main/memory/search", { query });
    return response.json<{ results: { path: string }[] }>();
  }

  function file(path: string) {
    return call("GET", `/v1/agents/main/memory/file?path=${encodeURIComponent(path)}`);
  }
});

test("what a search finds is what memory_get shows of the same lines", async () => {
  const [hit] = await found("boathouse painted");
  const range = `from=${hit!.startLine}&lines=${hit!.endLine - hit!.startLine + 1}`;
  const response = await call("GET", `/v1/agents/main/memory/file?path=${encodeURIComponent(hit!.path)}&${range}`);
  expect(await response.json()).toMatchObject({ text: hit!.snippet, source: "sessions" });
});
