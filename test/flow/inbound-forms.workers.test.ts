import { runDurableObjectAlarm, runInDurableObject, SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, call, env, finished, historyOf, script, waitFor } from "./client.ts";
import { session, sql, stubOf } from "./session-lab.ts";

const BOT = "7000000001:flow";
let nextUpdate = 50_000;

type Update = Record<string, unknown> & { update_id: number };

function message(from: number, more: object, messageId = nextUpdate++) {
  return {
    message_id: messageId,
    date: 1_780_000_000,
    chat: { id: from, type: "private" },
    from: { id: from, is_bot: false, first_name: "Ada" },
    ...more,
  };
}

function sent(from: number, more: object, messageId?: number): Update {
  return { update_id: nextUpdate++, message: message(from, more, messageId) };
}

function edited(from: number, more: object, messageId: number): Update {
  return { update_id: nextUpdate++, edited_message: message(from, { edit_date: 1_780_000_100, ...more }, messageId) };
}

async function deliver(update: Update): Promise<void> {
  const response = await SELF.fetch("https://isopod.test/channels/telegram/default/webhook", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": "flow-webhook-secret" },
    body: JSON.stringify(update),
  });
  expect(response.status).toBe(200);
}

async function scriptBot(told: object): Promise<void> {
  const control = `${env.TEST_BOT_API}/control/${BOT}`;
  await fetch(control, { method: "PUT", body: JSON.stringify(told) }).then((response) => response.text());
}

/** The texts of users that the last request of a model had, newest last. */
async function seenByModel(): Promise<string[]> {
  const last = (await asked("default")).at(-1);
  return last?.body.messages.filter(({ role }: any) => role === "user").map(({ content }: any) => textOf(content));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map(({ text = "" }) => text).join("");
}

const photo = (id: string) => ({ photo: [{ file_id: id, file_unique_id: id, width: 1, height: 1, file_size: 20 }] });

test("a file is fetched after its message is accepted, and the model sees it with the message", async () => {
  await script("default", [{ text: "I see it." }]);
  const document = { file_id: "report", file_unique_id: "report", file_name: "report.txt", mime_type: "text/plain" };
  await deliver(sent(42, { caption: "Look at this", document }, 60_001));
  await waitFor(async () => (await asked("default")).length === 1);
  const [said] = (await seenByModel()).slice(-1);
  expect(said).toContain("Look at this");
  expect(said).toContain("[File: inbox/telegram-42-60001-report.txt (text/plain), 24 bytes]");
  const file = await env.FILES.get("agents/main/workspace/inbox/telegram-42-60001-report.txt");
  expect(await file?.text()).toBe("contents of files/report");
});

test("a file that the platform does not hand over is told to the model with the reason, and the message is answered", async () => {
  await script("default", [{ text: "Pity." }]);
  const refusal = { ok: false, error_code: 400, description: "Bad Request: file is too big" };
  await scriptBot({ answers: [{ method: "getFile", status: 400, body: refusal }] });
  const document = { file_id: "huge", file_unique_id: "huge", file_name: "huge.zip" };
  await deliver(sent(42, { caption: "And this?", document }));
  await waitFor(async () => (await asked("default")).length === 1);
  expect((await seenByModel()).at(-1)).toContain(
    "[The file huge.zip could not be fetched: Telegram did not hand over the file: Bad Request: file is too big]",
  );
});

test("a message whose file kills its session again and again is answered without it, and what waits goes on", async () => {
  await script("default", [{ text: "Without it." }]);
  await scriptBot({ answers: Array.from({ length: 3 }, () => ({ method: "getFile", hang: true })) });
  const document = { file_id: "bomb", file_unique_id: "bomb", file_name: "bomb.pdf" };
  await deliver(sent(42, { caption: "Open this", document }));
  const stub = async () => env.SESSIONS.getByName(await objectNameOf("agent:main:main"));
  const attempts = async () =>
    runInDurableObject(await stub(), (_, { storage }) =>
      storage.sql
        .exec<{ n: number | null }>("select max(state ->> '$.fileAttempts') as n from runs where open = 1")
        .one(),
    );
  for (let died = 1; died <= 3; died++) {
    await waitFor(async () => (await attempts()).n === died);
    const killed = runInDurableObject(await stub(), (_, state) => state.abort("killed by a test"));
    await expect(killed).rejects.toThrow("killed by a test");
    await runDurableObjectAlarm(await stub());
  }
  await waitFor(async () => (await asked("default")).length === 1);
  // A session that was killed early has not asked for the file.
  await scriptBot({ answers: [] });
  expect((await seenByModel()).at(-1)).toContain("[The file bomb.pdf could not be fetched: the session failed again");
});

test("the parts of an album are one message with all files, and one reply", async () => {
  await script("default", [{ text: "Three photos." }]);
  const part = (id: string, more = {}) => sent(42, { ...photo(id), media_group_id: "album-1", ...more });
  await Promise.all([deliver(part("a1", { caption: "三张照片" })), deliver(part("a2")), deliver(part("a3"))]);
  await waitFor(async () => JSON.stringify((await historyOf("agent:main:main")).messages).includes("Three photos."));
  expect(await asked("default")).toHaveLength(1);
  const said = (await seenByModel()).at(-1) ?? "";
  expect(said).toContain("三张照片");
  expect(said.match(/\[File: inbox\/telegram-42-/g)).toHaveLength(3);
  const { messages } = await historyOf("agent:main:main");
  const album = messages.findLast(({ text }: any) => text?.includes("三张照片")) as { images?: unknown[] } | undefined;
  expect(album?.images).toHaveLength(3);
});

test("an edit of a message that was answered is not answered again, and told with the next one", async () => {
  await script("default", [{ text: "Noted." }, { text: "Both." }]);
  await deliver(sent(42, { text: "Meet at five" }, 61_000));
  await waitFor(async () => JSON.stringify((await historyOf("agent:main:main")).messages).includes("Noted."));
  await deliver(edited(42, { text: "Meet at six" }, 61_000));
  await deliver(sent(42, { text: "When do we meet?" }));
  await waitFor(async () => (await asked("default")).length === 2);
  const texts = await seenByModel();
  expect(texts.at(-2)).toMatch(/^\[.* · edits an earlier message\]\nMeet at six$/);
  expect(texts.at(-1)).toContain("When do we meet?");
  await waitFor(async () => JSON.stringify((await historyOf("agent:main:main")).messages).includes("Both."));
  expect(await asked("default")).toHaveLength(2);
});

test("an edit that comes while its message is at work joins it", async () => {
  await script("default", [{ text: "", calls: [{ name: "ls" }], delayMs: 400 }, { text: "To the new one." }]);
  await deliver(sent(42, { text: "First version" }, 62_000));
  await waitFor(async () => (await asked("default")).length === 1);
  await deliver(edited(42, { text: "Second version" }, 62_000));
  await waitFor(async () => JSON.stringify((await historyOf("agent:main:main")).messages).includes("To the new one."));
  expect((await seenByModel()).at(-1)).toContain("Second version");
});

test("messages of a burst are one run, where the configuration waits for more of them", async () => {
  const name = "forms-burst";
  await script(name, [{ text: "To all three." }]);
  const chat = chatOf(91);
  const more = { holdMs: 500 };
  const runs = [
    await hear(name, chat, "one", more),
    await hear(name, chat, "two", more),
    await hear(name, chat, "three", more),
  ];
  expect(await settled(runs[0] ?? "", chat)).toEqual(["To all three."]);
  expect(await asked(name)).toHaveLength(1);
  for (const runId of runs)
    expect((await finished(runId)) as object).toMatchObject({ status: expect.stringMatching(/ok|joined/) });
});

test("bots are answered three times, and again once a person has spoken", async () => {
  const name = "forms-bots";
  await script(
    name,
    Array.from({ length: 8 }, (_, n) => ({ text: `Answer ${n}` })),
  );
  const chat = chatOf(92);
  const bot = { sender: { id: "b", owner: false, isBot: true as const } };
  for (let n = 0; n < 3; n++) await settled(await hear(name, chat, `beep ${n}`, bot), chat);
  const { sessionKey } = session(name);
  const stub: any = await stubOf(name);
  const input = { text: "beep 4", ...bot, model: `fake/${name}`, timeoutSeconds: 60 };
  const runId = `run_${"0".repeat(26)}${stub.name}`;
  const refused = await stub.accept({ sessionKey, agentId: "main", runId, input, target: chat });
  expect(refused.refused).toMatchObject({ code: "forbidden", details: { reason: "bots_alone" } });
  await settled(await hear(name, chat, "Hello, I am a person"), chat);
  await settled(await hear(name, chat, "beep 5", bot), chat);
  expect(await asked(name)).toHaveLength(5);
});

test("a message that the platform reports as failed later is listed as lost, and told with the next reply", async () => {
  const name = "forms-receipt";
  await script(name, [{ text: "Did you get this?" }, { text: "Now?" }]);
  const chat = chatOf(93);
  const runId = await hear(name, chat, "hi");
  await settled(runId, chat);
  const [row] = await sql<{ detail: string }>(name, "SELECT detail FROM outbox");
  const { externalId } = JSON.parse(row?.detail ?? "{}");
  const stub: any = await stubOf(name);
  expect(await stub.failDelivery({ externalId, reason: "The window of 24 hours is closed." })).toBe(true);
  expect(await stub.failDelivery({ externalId, reason: "again" })).toBe(false);
  expect(await stub.failDelivery({ externalId: "unknown", reason: "why" })).toBe(false);
  const next = await settled(await hear(name, chat, "and now?"), chat);
  expect(next.at(-1)).toContain("An earlier message did not arrive (The window of 24 hours is closed.)");
  expect((await call("GET", `/v1/runs/${runId}`)).status).toBe(200);
});
