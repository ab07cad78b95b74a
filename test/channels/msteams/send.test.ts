import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart, Target } from "../../../src/channels/channel.ts";
import { msteams } from "../../../src/channels/msteams/msteams.ts";
import { APP_ID, makeTeamsBot, TENANT, type TestBot } from "./test-bot.ts";

function send(bot: TestBot, target: Partial<Target> = {}, more: Partial<OutboundPart> = {}): Promise<Delivery> {
  const part = { target: { ...bot.target, ...target }, text: "hello", deliveryId: "dlv_1", ...more };
  return msteams.send(part, bot.context, AbortSignal.timeout(5_000));
}

const NOTHING = { activity: {} as Record<string, any> };

describe("where a message goes", () => {
  test("is the address that the conversation was written from", async () => {
    const bot = await makeTeamsBot();
    expect(await send(bot, { via: `${bot.place.url}/` })).toMatchObject({ outcome: "delivered" });
    expect(await bot.posted()).toMatchObject([
      { conversation: "a:chat-77", activity: { type: "message", textFormat: "markdown", text: "hello" } },
    ]);
  });

  test("is the thread of a channel", async () => {
    const bot = await makeTeamsBot();
    await send(bot, { kind: "channel", conversationId: "19:c@thread.tacv2", threadId: "1700" });
    expect(await bot.posted()).toMatchObject([{ conversation: "19:c@thread.tacv2;messageid=1700" }]);
  });

  test("is a chat that is begun, for a person who has none", async () => {
    const bot = await makeTeamsBot();
    const person = "aaaaaaaa-0000-4000-8000-000000000001";
    expect(await send(bot, { conversationId: person })).toMatchObject({ outcome: "delivered" });
    const [begun] = await bot.place.calls("v3/conversations");
    expect(begun?.fields).toEqual({
      ...{ isGroup: false, bot: { id: `28:${APP_ID}` }, members: [{ id: person }] },
      ...{ tenantId: TENANT, channelData: { tenant: { id: TENANT } } },
    });
    expect(await bot.posted()).toMatchObject([{ conversation: "a:chat-with-aaaaaaaa" }]);
  });

  test("is never a stranger's address, which would get the bot's token", async () => {
    const bot = await makeTeamsBot();
    const delivery = await send(bot, { via: "https://evil.trafficmanager.net/" });
    expect(delivery).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("not an address of Microsoft's"),
    });
    expect(await bot.place.calls("login")).toEqual([]);
  });
});

describe("the login", () => {
  test("is that of the tenant, and is made once", async () => {
    const bot = await makeTeamsBot();
    for (let n = 0; n < 2; n++) await send(bot);
    const logins = await bot.place.calls("oauth2");
    expect(logins.map(({ path }) => path)).toEqual([`login/${TENANT}/oauth2/v2.0/token`]);
  });

  test("of a bot for several tenants is at the Bot Framework", async () => {
    const bot = await makeTeamsBot({ tenantId: { source: "env", id: "UNSET" } });
    await send(bot);
    expect((await bot.place.calls("oauth2"))[0]?.path).toBe("login/botframework.com/oauth2/v2.0/token");
  });

  test("is made anew where the connector does not take the token any more", async () => {
    const bot = await makeTeamsBot();
    await send(bot);
    await bot.place.script({ path: "activities", status: 401, body: { error: { code: "AuthorizationFailed" } } });
    expect(await send(bot)).toMatchObject({ outcome: "delivered" });
    expect(await bot.place.calls("oauth2")).toHaveLength(2);
  });

  test("is not made again and again", async () => {
    const bot = await makeTeamsBot();
    const refusal = { path: "activities", status: 401, body: { error: { code: "AuthorizationFailed" } } };
    await bot.place.script(refusal, refusal, refusal);
    expect(await send(bot)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("Check APP, PASS") });
    expect(await bot.place.calls("activities")).toHaveLength(2);
  });

  test("with a client secret that ran out says so, and sends nothing", async () => {
    const bot = await makeTeamsBot();
    await bot.place.remember({ appPassword: "another" });
    const reason = expect.stringMatching(/client secrets run out.*AADSTS7000215/);
    expect(await send(bot)).toMatchObject({ outcome: "failed", reason });
    expect(await bot.posted()).toEqual([]);
  });

  test("that fails for now is no lost message", async () => {
    for (const failure of [{ status: 500 }, { status: 429 }, { cut: "after" } as const]) {
      const bot = await makeTeamsBot();
      await bot.place.script({ path: "oauth2", ...failure });
      expect(await send(bot), JSON.stringify(failure)).toMatchObject({ outcome: "retry" });
    }
  });
});

describe("a refusal", () => {
  const refused = (status: number, code: string) => ({ path: "activities", status, body: { error: { code } } });

  test.each([
    [403, "ConversationBlockedByUser", "has blocked the bot"],
    [403, "BotNotInConversationRoster", "add the app again"],
    [403, "BotDisabledByAdmin", "administrator"],
    [404, "ConversationNotFound", "no such conversation"],
    [413, "MessageSizeTooBig", "too large"],
  ])("%i %s is said in words", async (status, code, words) => {
    const bot = await makeTeamsBot();
    await bot.place.script(refused(status, code));
    expect(await send(bot)).toMatchObject({ outcome: "failed", reason: expect.stringContaining(words) });
  });

  test("to begin a chat with a person who has no app says what to do", async () => {
    const bot = await makeTeamsBot();
    const delivery = await send(bot, { conversationId: "29:uninstalled" });
    expect(delivery).toMatchObject({ outcome: "failed", reason: expect.stringContaining("install it") });
  });

  test("for a clash in the conversation is tried again, one behind a gateway may have arrived", async () => {
    const bot = await makeTeamsBot();
    await bot.place.script(refused(412, "PreconditionFailed"));
    expect(await send(bot)).toMatchObject({ outcome: "retry", afterMs: 2_000 });
    for (const status of [500, 502, 504]) {
      await bot.place.script(refused(status, "ServiceError"));
      expect(await send(bot), String(status)).toMatchObject({ outcome: "unsure" });
    }
  });
});

test("buttons are a card whose presses say their texts", async () => {
  const bot = await makeTeamsBot();
  await send(bot, {}, { buttons: [[{ label: "Deny", says: "/approve x deny" }]] });
  const [{ activity } = NOTHING] = await bot.posted();
  expect(activity.attachments[0].content.body).toEqual([
    {
      type: "ActionSet",
      actions: [
        {
          ...{ type: "Action.Submit", title: "Deny" },
          data: {
            msteams: {
              ...{ type: "messageBack", text: "/approve x deny", displayText: "Deny" },
              value: { says: "/approve x deny" },
            },
          },
        },
      ],
    },
  ]);
});

test("a picture is sent inside its message, any other file is only named", async () => {
  const bot = await makeTeamsBot();
  const bytes = new Uint8Array([1, 2, 3]);
  expect(msteams.takesFile?.({ mediaType: "image/png", bytes })).toBe(true);
  expect(msteams.takesFile?.({ mediaType: "image/png", bytes: new Uint8Array(1024 * 1024 + 1) })).toBe(false);
  expect(msteams.takesFile?.({ mediaType: "application/pdf", bytes })).toBe(false);
  const file = {
    target: bot.target,
    deliveryId: "dlv_2",
    name: "a.png",
    mediaType: "image/png",
    bytes,
    asVoice: false,
  };
  const delivery = await msteams.sendFile?.(file, bot.context, AbortSignal.timeout(5_000));
  expect(delivery).toMatchObject({ outcome: "delivered" });
  const [{ activity } = NOTHING] = await bot.posted();
  expect(activity.attachments).toEqual([
    { name: "a.png", contentType: "image/png", contentUrl: "data:image/png;base64,AQID" },
  ]);
});

test("the longest part is within what Teams takes", async () => {
  const bot = await makeTeamsBot();
  const [text = ""] = msteams.format("很长。".repeat(30_000));
  expect(await send(bot, {}, { text })).toMatchObject({ outcome: "delivered" });
});

test("ids of chats, channels and people are known, others are not", () => {
  const kinds = ["a:1x", "29:1x", "aaaaaaaa-0000-4000-8000-000000000001", "19:x@thread.v2", "19:x@thread.tacv2", "x"];
  expect(kinds.map((id) => msteams.conversationOf?.(id)?.kind)).toEqual([
    ...["direct", "direct", "direct", "group", "channel", undefined],
  ]);
});

test("the app's manifest asks for every message only where an account wants them", async () => {
  const manifestOf = (bot: TestBot) => {
    const text = msteams.manifest?.(bot.context, "https://isopod.test/channels/msteams/default/webhook").text ?? "";
    return JSON.parse(text);
  };
  const modest = manifestOf(await makeTeamsBot());
  expect(modest).toMatchObject({ id: APP_ID, bots: [{ botId: APP_ID, supportsFiles: true }] });
  expect(modest.authorization).toBeUndefined();
  const curious = manifestOf(await makeTeamsBot({ requireMention: false }));
  expect(JSON.stringify(curious.authorization)).toContain("ChannelMessage.Read.Group");
});
