import { describe, expect, test } from "vitest";
import type { InboundMessage, ReceiveResult } from "../../../src/channels/channel.ts";
import { msteams } from "../../../src/channels/msteams/msteams.ts";
import { publicJwk } from "../signing-key.ts";
import { APP_ID, makeTeamsBot, NOW, type TestBot } from "./test-bot.ts";

async function statusOf(received: ReceiveResult): Promise<string> {
  if (received.kind !== "refused") return received.kind;
  const { error } = await received.response.json<{ error: { message: string } }>();
  return `${received.response.status} ${error.message}`;
}

async function receive(bot: TestBot, body: unknown = bot.activity(), token = {}, now = NOW): Promise<ReceiveResult> {
  return msteams.receive(await bot.call(body, token), { ...bot.context, now: () => now });
}

async function messageIn(bot: TestBot, more: Record<string, unknown>): Promise<InboundMessage> {
  const received = await receive(bot, bot.activity(more));
  const [event] = received.kind === "events" ? received.events : [];
  if (event?.kind !== "message") throw new Error(`no message: ${JSON.stringify(received)}`);
  return event;
}

describe("a token", () => {
  test.each([
    ["of another issuer", { claims: { iss: "https://sts.windows.net/x/" } }],
    ["for another bot", { claims: { aud: "another" } }],
    ["for another service address", { claims: { serviceurl: "https://smba.trafficmanager.net/emea/" } }],
    ["without a service address", { claims: { serviceurl: undefined } }],
    ["that ran out six minutes ago", { claims: { exp: NOW / 1000 - 360 } }],
    ["that begins in six minutes", { claims: { nbf: NOW / 1000 + 360 } }],
    ["that never runs out", { claims: { exp: undefined } }],
    ["of a stranger's key", { by: "stranger" }],
    ["of an unknown key", { kid: "unknown" }],
  ])("%s is refused", async (_, token) => {
    expect(await statusOf(await receive(await makeTeamsBot(), undefined, token))).toMatch(/^401 /);
  });

  test("may be off by four minutes, as clocks are", async () => {
    const bot = await makeTeamsBot();
    expect((await receive(bot, undefined, { claims: { exp: NOW / 1000 - 240 } })).kind).toBe("events");
    expect((await receive(bot, undefined, { claims: { nbf: NOW / 1000 + 240 } })).kind).toBe("events");
  });

  test("of a key that does not sign for Teams is refused", async () => {
    for (const endorsements of [["webchat"], undefined]) {
      const bot = await makeTeamsBot({}, { keys: [{ ...(await publicJwk()), endorsements }] });
      expect(await statusOf(await receive(bot))).toBe("401 The key is not one for msteams.");
    }
  });

  test("is neither accepted nor called wrong while the keys cannot be had", async () => {
    const bot = await makeTeamsBot();
    await bot.place.script({ path: "keys", status: 500 });
    expect(await statusOf(await receive(bot))).toMatch(/^503 /);
    expect((await receive(bot)).kind).toBe("events");
  });
});

describe("the keys", () => {
  const reads = async (bot: TestBot) => (await bot.place.calls("keys")).length;

  test("are remembered for a day", async () => {
    const bot = await makeTeamsBot();
    for (const now of [NOW, NOW + 3_600_000]) await receive(bot, undefined, {}, now);
    expect(await reads(bot)).toBe(1);
    await receive(bot, undefined, { claims: { exp: NOW / 1000 + 200_000 } }, NOW + 25 * 3_600_000);
    expect(await reads(bot)).toBe(2);
  });

  test("are read again for an unknown one, but not for every forgery", async () => {
    const bot = await makeTeamsBot({}, { keys: [] });
    const forged = { kid: "unknown" };
    for (let n = 0; n < 3; n++) expect(await statusOf(await receive(bot, undefined, forged))).toMatch(/^401 /);
    expect(await reads(bot)).toBe(1);
    await bot.place.remember({
      openId: { jwks_uri: `${bot.place.url}/keys` },
      keys: [{ ...(await publicJwk()), endorsements: ["msteams"] }],
    });
    expect((await receive(bot, undefined, {}, NOW + 6 * 60_000)).kind).toBe("events");
    expect(await reads(bot)).toBe(2);
  });
});

test("a service address that is not Microsoft's is refused, whoever signs for it", async () => {
  const bot = await makeTeamsBot();
  for (const serviceUrl of [
    "https://evil.trafficmanager.net/",
    "https://smba.trafficmanager.net.evil.example/",
    "http://smba.trafficmanager.net/",
  ]) {
    const received = await receive(bot, bot.activity({ serviceUrl }), { claims: { serviceurl: serviceUrl } });
    expect(await statusOf(received), serviceUrl).toMatch(/^401 The service address/);
  }
  const serviceUrl = "https://smba.trafficmanager.net/amer/";
  const received = await receive(bot, bot.activity({ serviceUrl }), { claims: { serviceurl: serviceUrl } });
  expect(received).toMatchObject({ kind: "events", events: [{ via: serviceUrl }] });
});

describe("a conversation", () => {
  test("of one person is direct, and the person is known by the id in the directory", async () => {
    expect(await messageIn(await makeTeamsBot(), {})).toMatchObject({
      sender: { id: "aaaaaaaa-0000-4000-8000-000000000001", name: "Ada" },
      conversation: { kind: "direct", id: "a:chat-77" },
      mentioned: true,
    });
  });

  test("in a channel is a thread of it, in a team", async () => {
    const conversation = { id: "19:c@thread.tacv2;messageid=1700", conversationType: "channel", isGroup: true };
    const channelData = { team: { id: "19:team", name: "Crew" }, channel: { id: "19:c@thread.tacv2", name: "Deck" } };
    const message = await messageIn(await makeTeamsBot(), { conversation, channelData });
    expect(message).toMatchObject({
      conversation: {
        ...{ kind: "channel", id: "19:c@thread.tacv2", threadId: "1700", spaceId: "19:team", title: "Crew / Deck" },
      },
      mentioned: false,
    });
  });

  test("has its own messages: the same id in another one is another message", async () => {
    const bot = await makeTeamsBot();
    const [one, other] = [
      await messageIn(bot, { conversation: { id: "19:a@thread.v2", isGroup: true } }),
      await messageIn(bot, { conversation: { id: "19:b@thread.v2", isGroup: true } }),
    ];
    expect(one.dedupeId).not.toBe(other.dedupeId);
    expect(one.messageId).toBe(other.messageId);
  });
});

describe("what is no new message", () => {
  test("an edit is a version of its message, each under its own id", async () => {
    const bot = await makeTeamsBot();
    const edit = { type: "messageUpdate", channelData: { eventType: "editMessage" } };
    const [first, second] = [
      await messageIn(bot, { ...edit, text: "hello!", timestamp: "2026-11-25T10:01:00Z" }),
      await messageIn(bot, { ...edit, text: "hello!!", timestamp: "2026-11-25T10:02:00Z" }),
    ];
    expect(first).toMatchObject({ edited: true, text: "hello!", messageId: "1790000000001" });
    expect(new Set([(await messageIn(bot, {})).dedupeId, first.dedupeId, second.dedupeId]).size).toBe(3);
  });

  test("a deletion names its message", async () => {
    const bot = await makeTeamsBot();
    const received = await receive(bot, bot.activity({ type: "messageDelete", text: undefined }));
    expect(received).toMatchObject({ kind: "events", events: [{ kind: "deletion", messageId: "1790000000001" }] });
  });

  test.each([
    ["joins", { type: "conversationUpdate", membersAdded: [{ id: "29:new" }] }],
    ["an app that was removed, without a service address", { type: "installationUpdate", serviceUrl: undefined }],
    ["typing", { type: "typing", text: undefined }],
    ["reactions", { type: "messageReaction", reactionsAdded: [{ type: "like" }] }],
    ["kinds to come", { type: "somethingNew", from: 5 }],
    ["messages of the bot", { from: { id: `28:${APP_ID}`, name: "Isopod" } }],
    ["messages without content", { text: " " }],
    ["messages of Web Chat", { channelId: "webchat" }],
  ])("%s are answered", async (_, more) => {
    const keys = [{ ...(await publicJwk()), endorsements: ["msteams", "webchat"] }];
    const bot = await makeTeamsBot({}, { keys });
    expect((await receive(bot, bot.activity(more))).kind).toBe("answered");
  });

  test("other bots are heard only where the account lets them in", async () => {
    const from = { id: "28:other", name: "CI" };
    const closed = await makeTeamsBot();
    expect((await receive(closed, closed.activity({ from }))).kind).toBe("answered");
    expect((await messageIn(await makeTeamsBot({ allowBots: true }), { from })).sender).toMatchObject({ isBot: true });
  });
});

describe("a pressed button", () => {
  test("says what it stands for, also in a channel where nobody mentions the bot", async () => {
    const conversation = { id: "19:c@thread.tacv2;messageid=1700", conversationType: "channel", isGroup: true };
    const value = { says: "/approve abc allow-once" };
    const message = await messageIn(await makeTeamsBot(), { conversation, value, text: "Allow once" });
    expect(message).toMatchObject({ text: "/approve abc allow-once", mentioned: true });
  });

  test("that waits for an answer gets one, once its words are stored", async () => {
    const bot = await makeTeamsBot();
    const value = { action: { type: "Action.Execute", data: { says: "/approve abc deny" } } };
    const received = await receive(bot, bot.activity({ type: "invoke", name: "adaptiveCard/action", value }));
    if (received.kind !== "events") throw new Error(received.kind);
    expect(received.events).toMatchObject([{ text: "/approve abc deny", mentioned: true }]);
    const answer = received.answer?.([{ kind: "accepted" }]);
    expect(await answer?.json()).toMatchObject({
      statusCode: 200,
      type: "application/vnd.microsoft.activity.message",
    });
  });

  test("of something else is answered", async () => {
    const bot = await makeTeamsBot();
    const received = await receive(bot, bot.activity({ type: "invoke", name: "task/fetch", value: { data: {} } }));
    if (received.kind !== "answered") throw new Error(received.kind);
    expect(await received.response?.json()).toEqual({});
  });
});

describe("an attachment", () => {
  test("that a person sent in a chat is opened without the bot's token", async () => {
    const bot = await makeTeamsBot();
    const content = { downloadUrl: `${bot.place.url}/files/a.txt`, fileType: "txt" };
    const contentType = "application/vnd.microsoft.teams.file.download.info";
    const { attachments } = await messageIn(bot, {
      attachments: [
        { contentType, name: "a.txt", content },
        { contentType: "text/html", content: "<p>hello</p>" },
      ],
    });
    const [file] = attachments;
    if (attachments.length !== 1 || !file || !("reference" in file)) throw new Error("expected one reference");
    expect(file.name).toBe("a.txt");
    const opened = await msteams.openAttachment?.(file.reference, bot.context, AbortSignal.timeout(5_000));
    expect(await new Response(opened).text()).toBe("from sharepoint");
  });

  test("is not fetched with the bot's token from a stranger's address", async () => {
    const bot = await makeTeamsBot();
    const reference = { url: "https://evil.example/v3/attachments/1", ofConnector: true };
    const opening = msteams.openAttachment?.(reference, bot.context, AbortSignal.timeout(5_000));
    await expect(opening).rejects.toThrow("not Microsoft's");
    expect(await bot.place.calls("login")).toEqual([]);
  });

  test("is fetched without a login from Microsoft's addresses alone", async () => {
    const bot = await makeTeamsBot();
    for (const url of [
      "https://evil.example/a.txt",
      "http://contoso.sharepoint.com/a.txt",
      "http://169.254.169.254/",
    ]) {
      const reference = { url, ofConnector: false };
      const opening = msteams.openAttachment?.(reference, bot.context, AbortSignal.timeout(5_000));
      await expect(opening, url).rejects.toThrow("where Microsoft keeps files");
    }
  });
});
