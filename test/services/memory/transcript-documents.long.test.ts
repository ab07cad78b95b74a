import { env } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { objectNameOf } from "../../../src/config/session-ids.ts";
import { type Message, NO_USAGE } from "../../../src/models/message.ts";
import { call, say } from "../../flow/client.ts";
import {
  at,
  chat,
  exchange,
  found,
  indexAll,
  putMessages,
  rememberTranscripts,
  rewriteIn,
  sqlIn,
  talkKey,
  textAt,
  transcripts,
} from "./transcripts-lab.ts";

/** The paths of a session's pages, oldest first. */
async function pathsOf(sessionKey: string): Promise<string[]> {
  const folder = `sessions/${sessionKey.split(":").slice(2).join("/")}/`;
  const documents = (await transcripts().list()).filter(({ path }) => path.startsWith(folder));
  const pageOf = (path: string) => Number(/(\d+)\.md$/.exec(path)![1]);
  return documents.map(({ path }) => path).sort((a, b) => pageOf(a) - pageOf(b) || (a < b ? -1 : 1));
}

beforeAll(() => rememberTranscripts());

beforeEach(async () => {
  await env.MEMORY.batch(
    ["meta", "files", "chunks", "changes"].map((table) => env.MEMORY.prepare(`delete from ${table}`)),
  );
  await env.DB.prepare("delete from sessions").run();
});

describe("transcripts as documents", () => {
  test("are the conversations with people: no hook's, job's or sub-agent's, and none for one request alone", async () => {
    const key = talkKey("ann");
    const sessionId = await exchange(key, "Where is the spare key?", "Under the blue pot.");
    for (const other of ["hook:h", "cron:c", "subagent:s", "openai:once:direct:r"]) {
      await exchange(`agent:main:${other}`, "Where is the spare key?", "Under the blue pot.");
    }
    const [document, ...others] = await transcripts().list();
    expect(others).toEqual([]);
    expect(document).toMatchObject({ path: `sessions/webchat/direct/ann/${sessionId}/1.md`, source: "sessions" });
    expect(await textAt(document!.path)).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d\] User: Where is the spare key\?\n\[.{16}\] Assistant: Under the blue pot\.$/,
    );
    expect(document!.size).toBe((await textAt(document!.path)).length + 1);
    expect(Math.abs(document!.modifiedAt - Date.now())).toBeLessThan(60_000);
  });

  test("begin anew with another conversation, and what was said before is found as well", async () => {
    const key = talkKey("anew");
    const first = await exchange(key, "My sister is called Wilhelmina.", "A fine name.");
    const second = await exchange(key, "/new My brother is called Archibald.", "Noted.");
    expect(await pathsOf(key)).toEqual([first, second].sort().map((id) => `sessions/webchat/direct/anew/${id}/1.md`));
    await indexAll();
    expect((await found("Wilhelmina"))[0]).toMatchObject({ path: `sessions/webchat/direct/anew/${first}/1.md` });
    expect((await found("Archibald"))[0]).toMatchObject({ path: `sessions/webchat/direct/anew/${second}/1.md` });
  });

  test("of conversations from before they were remembered are told apart by their runs", async () => {
    const key = talkKey("old");
    const ids = [
      await exchange(key, "One", "First."),
      await exchange(key, "/new Two", "Second."),
      await exchange(key, "/new Three", "Third."),
    ];
    expect(new Set(ids).size).toBe(3);
    await transcripts().list();
    for (const [n, text] of ["First.", "Second.", "Third."].entries()) {
      expect(await textAt(`sessions/webchat/direct/old/${ids[n]}/1.md`), text).toContain(text);
    }
  });

  test("in Chinese are found by a word of one character or two", async () => {
    await exchange(talkKey("小明"), "我们的猫叫什么名字？", "它叫豆豆，喜欢睡在窗台上。");
    await exchange(talkKey("dog"), "What is the dog called?", "Rex.");
    await indexAll();
    for (const word of ["猫", "豆豆", "窗台"]) {
      expect((await found(word)).map(({ path }) => path.split("/")[3])).toEqual(["小明"]);
    }
  });

  test("of a group say who spoke", async () => {
    const key = "agent:main:telegram:group:-100900";
    const stub = env.SESSIONS.getByName(await objectNameOf(key));
    for (const [n, name] of ["Ann", "Bob"].entries()) {
      const input = {
        text: `I bring plate ${n}.`,
        sender: { id: `telegram:${n}`, name, owner: n === 0 },
        timeoutSeconds: 5,
      };
      await stub.accept({
        sessionKey: key,
        agentId: "main",
        runId: `run_${"0".repeat(25)}${n}${await objectNameOf(key)}`,
        input,
      });
    }
    await say("Who brings what?", "group-plates", { sessionKey: key }).then(({ runId }) =>
      call("GET", `/v1/agent/wait?runId=${runId}`),
    );
    const { pages } = (await stub.transcriptPages()) as { pages: { path: string }[] };
    const text = await textAt(pages[0]!.path);
    expect(text).toContain("] User Ann: I bring plate 0.");
    expect(text).toContain("] Guest Bob: I bring plate 1.");
    expect(text).toContain("] User: Who brings what?");
  });
});

describe("a transcript that grows", () => {
  test("keeps its lines at their numbers, and its passages their rows", async () => {
    const key = talkKey("grow");
    await exchange(key, "Hello", "Hi.");
    await putMessages(
      key,
      100_000,
      chat(60, (n) => `Remark ${n} ${"about the garden and the shed ".repeat(4)}`),
    );
    await indexAll();
    const [path] = await pathsOf(key);
    const before = (await textAt(path!)).split("\n");
    const rows = async () => {
      const live = env.MEMORY.prepare("select id from files where state = 'live' and path = ?").bind(path);
      const query = "select id, start_line, hash from chunks where file_id = ? order by id";
      return (
        await env.MEMORY.prepare(query)
          .bind(await live.first("id"))
          .all()
      ).results;
    };
    const chunks = await rows();
    expect(chunks.length).toBeGreaterThan(4);
    await exchange(key, "And the fence?", "It is green.");
    await indexAll();
    const after = (await textAt(path!)).split("\n");
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).map((line) => line.slice(19))).toEqual([
      "User: And the fence?",
      "Assistant: It is green.",
    ]);
    const kept = await rows();
    expect(kept.slice(0, chunks.length - 1)).toEqual(chunks.slice(0, -1));
    const [hit] = await found("fence green");
    expect(after.slice(hit!.startLine - 1, hit!.endLine).join("\n")).toContain("It is green.");
  });

  test("to 10,000 messages has pages of bounded size, in which each line is once and in order", async () => {
    const key = talkKey("long");
    await exchange(key, "Hello", "Hi.");
    await putMessages(
      key,
      100_000,
      chat(10_000, (n) => `Remark ${n} ${"x".repeat(n % 300)}`),
    );
    const paths = await pathsOf(key);
    expect(paths.length).toBeGreaterThan(30);
    const texts = await Promise.all(paths.map(textAt));
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(49_000);
    const numbers = [...texts.join("\n").matchAll(/Remark (\d+)/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
  });

  test("by what tools do alone is no longer, and what was written with a tool is not read for it at once", async () => {
    const key = talkKey("tools");
    await exchange(key, "Hello", "Hi.");
    const big = "y".repeat(900_000);
    const calls = Array.from({ length: 12 }, (_, n): Message => {
      const parts = [{ type: "tool-call" as const, callId: `c${n}`, tool: "write", args: { path: "x.md", text: big } }];
      return { role: "assistant", id: `msg_${n}`, at, parts, stop: "tool-calls", model: "fake/x", usage: NO_USAGE };
    });
    await putMessages(key, 100_000, [...calls, ...chat(2, () => "Done.")]);
    const paths = await pathsOf(key);
    expect(paths.length).toBeGreaterThan(2);
    const texts = await Promise.all(paths.map(textAt));
    expect(texts.join("\n")).not.toContain("yyy");
    expect(texts.join("\n")).toContain("Done.");
  });
});

describe("a listing", () => {
  test("wakes the sessions alone in which something happened", async () => {
    const keys = ["a", "b", "c"].map((name) => talkKey(`sleep-${name}`));
    for (const key of keys) await exchange(key, "Hello", "Hi.");
    await indexAll();
    await settle();
    const quiet = transcripts();
    expect(await quiet.list()).toHaveLength(3);
    expect(quiet.asked).toEqual([]);
    await exchange(keys[1]!, "More", "Yes.");
    const woken = transcripts();
    await indexAll(woken);
    expect(new Set(woken.asked)).toEqual(new Set([keys[1]]));
    expect(await found("More")).toHaveLength(1);
  });

  test("takes note that a turn in which nobody spoke was no news, and does not ask again", async () => {
    const key = talkKey("silent");
    await exchange(key, "Hello", "Hi.");
    await indexAll();
    await settle();
    await exchange(key, "/status", "");
    await env.DB.prepare("update sessions set updated_at = ?")
      .bind(Date.now() - 30_000)
      .run();
    const once = transcripts();
    await indexAll(once);
    expect(once.asked).toEqual([key]);
    await settle();
    const again = transcripts();
    await again.list();
    expect(again.asked).toEqual([]);
  });

  test("keeps what it knows of a session that does not answer", async () => {
    const key = talkKey("mute");
    await exchange(key, "The code is 4711.", "Noted.");
    await indexAll();
    await indexAll(transcripts({ mute: true }));
    expect(await found("4711")).toHaveLength(1);
  });

  /** Lets what was indexed be so long ago that nothing can have happened meanwhile. */
  async function settle(): Promise<void> {
    await env.DB.prepare("update sessions set updated_at = updated_at - 120000").run();
  }
});

describe("what is gone", () => {
  test("from the beginning of a transcript leaves empty lines, and whole pages of it are there no more", async () => {
    const key = talkKey("cleared");
    await exchange(key, "Hello", "Hi.");
    await putMessages(
      key,
      100_000,
      chat(1_000, (n) => `Remark ${n} ${"x".repeat(80)}`).map((message) => ({ ...message, at: Date.now() })),
    );
    await exchange(key, "/new Next", "Fine.");
    await indexAll();
    const [first, , second] = await pathsOf(key);
    const before = (await textAt(second!)).split("\n");
    expect(await found("Remark 3")).not.toEqual([]);
    const seq = Number((await sqlIn(key, "select from_seq as seq from memory_pages where page = 2"))[0]!.seq);
    await sqlIn(key, "update messages set body = json_set(body, '$.at', 0) where seq < ?", seq + 10);
    await rewriteIn(key, "update session set tidied_at = 0");
    await call("PATCH", "/v1/config", { session: { retention: { days: 30 } } }, { "If-Match": "*" });
    await exchange(key, "Still there?", "Yes.");
    await expect
      .poll(() => sqlIn(key, "select count(*) as n from messages where seq < ?", seq + 10))
      .toEqual([{ n: 0 }]);
    await indexAll();
    expect(await pathsOf(key)).not.toContain(first);
    const after = (await textAt(second!)).split("\n");
    expect(after.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => ""));
    expect(after.slice(10)).toEqual(before.slice(10));
    expect((await found("Remark 3")).map(({ path }) => path)).not.toContain(first);
  });

  test("with its session is found no more, at once, and its rows go with the next index", async () => {
    const key = talkKey("leaving");
    await exchange(key, "The treasure lies in Ushuaia.", "I will remember it.");
    await exchange(talkKey("staying"), "Ushuaia is far.", "It is.");
    await indexAll();
    expect(await found("Ushuaia")).toHaveLength(2);
    const texts = () => env.MEMORY.prepare("select text from chunks").all<{ text: string }>();
    const { results: rows } = await env.MEMORY.prepare("select hash from chunks").all<{ hash: string }>();
    const cache = env.MEMORY.prepare(
      "insert into embedding_cache (space, hash, embedding, used_at) values ('s', ?, '', 1)",
    );
    await env.MEMORY.batch(rows.map(({ hash }) => cache.bind(hash)));
    expect((await call("DELETE", `/v1/sessions/${encodeURIComponent(key)}`)).status).toBe(204);
    expect((await found("Ushuaia")).map(({ path }) => path.split("/")[3])).toEqual(["staying"]);
    expect(await env.MEMORY.prepare("select count(*) as n from embedding_cache").first("n")).toBe(1);
    await indexAll();
    expect((await texts()).results.map(({ text }) => text).join()).not.toContain("treasure");
    expect(await env.MEMORY.prepare("select files, chunks from meta").first()).toEqual({ files: 1, chunks: 1 });
  });
});
