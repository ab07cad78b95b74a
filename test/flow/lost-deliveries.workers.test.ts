import { expect, test } from "vitest";
import { callsTo, chatOf, hear, sentTo, settled } from "./chats.ts";
import { call, env, script, waitFor } from "./client.ts";
import { configure, evict, kill, session, sql } from "./session-lab.ts";

const BOT = `${env.TEST_BOT_API}/control/7000000001:flow`;

async function botAnswers(...answers: object[]): Promise<void> {
  await fetch(BOT, { method: "PUT", body: JSON.stringify({ answers }) });
}

const FAULTS = {
  "answers 500": { method: "sendMessage", status: 500, body: { ok: false, error_code: 500, description: "Internal" } },
  "cuts the connection": { method: "sendMessage", cut: "before" },
};

async function lostIn(name: string): Promise<any[]> {
  const { deliveries } = await (
    await call("GET", `/v1/sessions/${encodeURIComponent(session(name).sessionKey)}/deliveries`)
  ).json<any>();
  return deliveries;
}

test.each(Object.entries(FAULTS))(
  "if Telegram %s, the next reply says what may be missing, and /resend brings it",
  async (what, fault) => {
    const name = `lost-${what.replaceAll(" ", "-")}`;
    const chat = chatOf(what.length + 14_000);
    await script(name, [{ text: "The code is **4711** <ok>." }, { text: "Second." }, { text: "Third." }]);
    await botAnswers(fault);
    await settled(await hear(name, chat, "One"), chat);
    expect(await lostIn(name)).toMatchObject([
      { channel: "telegram", status: "unsure", text: "The code is 4711 <ok>.", conversation: chat.conversationId },
    ]);
    const second = await settled(await hear(name, chat, "Two"), chat);
    expect(second.at(-2)).toBe("Second.");
    expect(second.at(-1)).toContain("An earlier message may not have arrived");
    expect(second.at(-1)).toContain("“The code is 4711 &lt;ok&gt;.”");
    // It is told once.
    expect((await settled(await hear(name, chat, "Three"), chat)).at(-1)).toBe("Third.");

    const before = (await sentTo(chat)).filter((text) => text.includes("4711</b>")).length;
    expect((await settled(await hear(name, chat, "/resend"), chat)).at(-1)).toBe("Sent again: 1 message.");
    await waitFor(async () => (await lostIn(name)).length === 0);
    expect((await sentTo(chat)).filter((text) => text.includes("4711</b>"))).toHaveLength(before + 1);
    expect((await settled(await hear(name, chat, "/resend"), chat)).at(-1)).toBe("Everything has arrived.");
  },
);

test("the doctor names what may not have arrived until it has", async () => {
  const name = "lost-doctor";
  const chat = chatOf(14_100);
  await script(name, [{ text: "Ping." }]);
  await botAnswers(FAULTS["cuts the connection"]);
  await settled(await hear(name, chat, "Hi"), chat);
  const found = async () => {
    const { checks } = await (await call("GET", "/v1/doctor")).json<any>();
    return checks.find(({ id }: any) => id === "backlog.deliveries.telegram:14100");
  };
  await waitFor(async () => (await found()) !== undefined);
  expect(await found()).toMatchObject({ status: "warn", fix: expect.stringContaining("/resend") });
  await hear(name, chat, "/resend");
  await waitFor(async () => (await found()) === undefined);
});

test("what surely was not sent is pending, and is no attempt that counts", async () => {
  const name = "lost-unreached";
  const chat = chatOf(14_200);
  await script(name, [{ text: "Later." }]);
  await configure(name, (config) => {
    const { telegram } = config.channels;
    const accounts = {
      ...telegram.accounts,
      default: { ...telegram.accounts.default, apiBase: "http://telegram.invalid" },
    };
    return { ...config, channels: { telegram: { ...telegram, accounts } } };
  });
  await hear(name, chat, "Hi");
  const row = async () => (await sql(name, "select status, attempts, detail from outbox"))[0];
  await waitFor(async () => Number((await row())?.attempts) > 1);
  expect(await row()).toMatchObject({ status: "pending", detail: expect.stringContaining("could not be reached") });
  await evict(name);
  await waitFor(async () => (await sentTo(chat)).includes("Later."));
});

test("an account that prefers doubles gets a message again, also after its session was killed", async () => {
  const name = "lost-twice";
  const chat = chatOf(14_300);
  await script(name, [{ text: "Once or twice." }, { text: "And this." }]);
  const prefer = () =>
    configure(name, (config) => {
      const { telegram } = config.channels;
      const account = { ...telegram.accounts.default, deliveries: { atLeastOnce: true } };
      return {
        ...config,
        channels: { telegram: { ...telegram, accounts: { ...telegram.accounts, default: account } } },
      };
    });
  await prefer();
  await botAnswers({ method: "sendMessage", cut: "after" });
  const sent = await settled(await hear(name, chat, "Hi"), chat);
  expect(sent.filter((text) => text === "Once or twice.")).toHaveLength(2);
  await botAnswers({ method: "sendMessage", hang: true });
  await hear(name, chat, "Hi again");
  await waitFor(async () => (await sql(name, "select 1 from outbox where status = 'sending'")).length === 1);
  await kill(name);
  await prefer();
  await hear(name, chat, "/status");
  await waitFor(async () => (await sentTo(chat)).includes("And this."));
});

test("a reply of a million characters is ten messages, of which the last is a file with all of it", async () => {
  const name = "lost-long";
  const chat = chatOf(14_400);
  await script(name, [{ text: "All work and no play. ".repeat(45_000) }]);
  await settled(await hear(name, chat, "Write"), chat);
  const calls = await callsTo(chat);
  expect(calls.map(({ method }) => method)).toEqual([
    ...Array.from({ length: 9 }, () => "sendMessage"),
    "sendDocument",
  ]);
});

test("a long reply in blocks has few messages, and is whole", async () => {
  const name = "lost-blocks";
  const chat = chatOf(14_500, "blocks");
  await script(name, [{ text: Array.from({ length: 700 }, (_, n) => `Line ${n} of a long story.\n\n`).join("") }]);
  await settled(await hear(name, chat, "Write"), chat);
  const sent = await sentTo(chat);
  expect(sent.length).toBeLessThanOrEqual(10);
  for (const [n, text] of sent.entries()) if (n < 4) expect(text.length).toBeLessThanOrEqual(1300);
  expect(sent[5]?.length).toBeGreaterThan(2000);
  expect(sent.join("\n")).toContain("Line 699 of");
});
