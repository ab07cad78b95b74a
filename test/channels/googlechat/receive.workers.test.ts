import { describe, expect, test } from "vitest";
import type { InboundMessage, ReceiveResult } from "../../../src/channels/channel.ts";
import { googlechat } from "../../../src/channels/googlechat/googlechat.ts";
import { certificateOf } from "../certificate.ts";
import { KEY_ID, publicJwk } from "../signing-key.ts";
import { ADA, APP, DM, ENDPOINT, makeChatApp, NOW, ROOM, type TestApp, type TestToken } from "./test-app.ts";

const PROJECT = "123456789012";
const CHAT = "chat@system.gserviceaccount.com";
const ADD_ON = `service-${PROJECT}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`;

async function receive(app: TestApp, body: unknown = app.event(), token: TestToken = {}): Promise<ReceiveResult> {
  return googlechat.receive(await app.call(body, token), app.context);
}

function statusOf(received: ReceiveResult): string {
  return received.kind === "refused" ? String(received.response.status) : received.kind;
}

async function messageIn(app: TestApp, body: unknown): Promise<InboundMessage> {
  const received = await receive(app, body);
  const [event] = received.kind === "events" ? received.events : [];
  if (event?.kind !== "message") throw new Error(`no message: ${JSON.stringify(received)}`);
  return event;
}

describe("a token for the endpoint's address", () => {
  test.each([
    ["of another account: anybody can have one", { claims: { email: "someone@gmail.com" } }],
    ["of an account that is not verified", { claims: { email_verified: false } }],
    ["without an account", { claims: { email: undefined } }],
    ["of another issuer", { claims: { iss: "https://accounts.google.com.evil.example" } }],
    ["of Chat itself", { claims: { iss: CHAT } }],
    ["for another address", { claims: { aud: `${ENDPOINT}/x` } }],
    ["that ran out", { claims: { exp: NOW / 1000 - 400 } }],
    ["of a stranger's key", { by: "stranger" as const }],
    ["of an add-on", { claims: { email: ADD_ON } }],
  ])("%s is refused", async (_, token) => {
    expect(statusOf(await receive(await makeChatApp(), undefined, token))).toBe("401");
  });

  test("of an add-on is taken where the account says so, and then no other", async () => {
    const app = await makeChatApp({}, { ADD_ON });
    expect(statusOf(await receive(app, undefined, { claims: { email: ADD_ON } }))).toBe("events");
    expect(statusOf(await receive(app))).toBe("401");
  });

  test("is not judged while Google's keys cannot be had", async () => {
    const app = await makeChatApp();
    await app.place.script({ path: "certs", status: 500 });
    expect(statusOf(await receive(app))).toBe("503");
  });
});

describe("a token for the project number", () => {
  async function makeProjectApp(): Promise<TestApp> {
    const app = await makeChatApp({}, { AUDIENCE: PROJECT });
    await app.place.remember({ certificates: { [KEY_ID]: await certificateOf(await publicJwk()) }, keys: [] });
    return app;
  }
  const GOOD = { claims: { iss: CHAT, aud: PROJECT } };

  test("is verified with Chat's own certificates", async () => {
    const app = await makeProjectApp();
    expect(statusOf(await receive(app, undefined, GOOD))).toBe("events");
    expect((await app.place.calls("x509")).map(({ path }) => path)).toEqual([
      `service_accounts/v1/metadata/x509/${CHAT}`,
    ]);
    expect(statusOf(await receive(app, undefined, { ...GOOD, by: "stranger" }))).toBe("401");
  });

  test("of another project, or of Google for anybody, is refused", async () => {
    const app = await makeProjectApp();
    expect(statusOf(await receive(app, undefined, { claims: { ...GOOD.claims, aud: "555" } }))).toBe("401");
    expect(statusOf(await receive(app, undefined, { claims: { aud: PROJECT } }))).toBe("401");
  });
});

test("what is answered is no message of the app: Google would show it", async () => {
  const app = await makeChatApp();
  const received = await receive(app);
  if (received.kind !== "events") throw new Error(received.kind);
  expect(await received.answer?.([{ kind: "ignored", reason: "x" }]).json()).toEqual({});
  const ignored = await receive(app, { type: "REMOVED_FROM_SPACE", user: ADA, space: ROOM });
  if (ignored.kind !== "answered") throw new Error(ignored.kind);
  expect(await ignored.response?.json()).toEqual({});
});

const mention = (name: string, startIndex = 0) => ({
  ...{ type: "USER_MENTION", startIndex, length: 7 },
  userMention: { user: { name, type: "BOT" }, type: "MENTION" },
});

describe("a message", () => {
  test("in a space is in its thread, and is what was typed without the app's name", async () => {
    const app = await makeChatApp({ botUser: APP });
    const message = app.message({
      name: "spaces/ROOM/messages/M2",
      text: "@Isopod ask @Bob",
      argumentText: " ask @Bob",
      annotations: [mention(APP)],
      thread: { name: "spaces/ROOM/threads/T2" },
    });
    expect(await messageIn(app, app.event({ space: ROOM, message }))).toMatchObject({
      text: "ask @Bob",
      sender: { id: "users/77", name: "Ada" },
      conversation: { kind: "group", id: "spaces/ROOM", threadId: "spaces/ROOM/threads/T2", title: "Deck" },
      mentioned: true,
      dedupeId: "spaces/ROOM/messages/M2",
    });
  });

  test("in a space without threads has none", async () => {
    const app = await makeChatApp();
    const space = { ...ROOM, spaceThreadingState: "UNTHREADED_MESSAGES" };
    expect((await messageIn(app, app.event({ space }))).conversation.threadId).toBeUndefined();
  });

  test("that mentions another app alone is not for this one", async () => {
    const app = await makeChatApp({ botUser: APP });
    const message = (name: string) => app.message({ annotations: [mention(name)] });
    expect((await messageIn(app, app.event({ space: ROOM, message: message("users/2000") }))).mentioned).toBe(false);
    expect((await messageIn(app, app.event({ space: ROOM, message: message("users/app") }))).mentioned).toBe(true);
  });

  test("without the text of its arguments loses the mention that it begins with", async () => {
    const app = await makeChatApp();
    const message = app.message({ text: "@Isopod hello", argumentText: undefined, annotations: [mention(APP)] });
    expect((await messageIn(app, app.event({ space: ROOM, message }))).text).toBe("hello");
  });

  test("that is a command keeps its name, and is for the app", async () => {
    const app = await makeChatApp();
    const message = app.message({ text: "/status now", argumentText: " now", slashCommand: { commandId: "1" } });
    expect(await messageIn(app, app.event({ space: ROOM, message }))).toMatchObject({
      text: "/status now",
      mentioned: true,
    });
  });

  test("that quotes another says which, and what", async () => {
    const app = await makeChatApp();
    const quotedMessageMetadata = {
      name: "spaces/ROOM/messages/M0",
      quotedMessageSnapshot: { text: "Is it done?", sender: "Bob" },
    };
    expect(await messageIn(app, app.event({ message: app.message({ quotedMessageMetadata }) }))).toMatchObject({
      replyToId: "spaces/ROOM/messages/M0",
      quoted: { text: "Is it done?", senderName: "Bob" },
    });
  });

  test("with a file in Drive names it, and says why it cannot be had", async () => {
    const app = await makeChatApp();
    const attachment = [{ contentName: "plan.gdoc", source: "DRIVE_FILE", driveDataRef: { driveFileId: "1" } }];
    const { attachments } = await messageIn(app, app.event({ message: app.message({ attachment }) }));
    const [file] = attachments;
    if (!file || !("reference" in file)) throw new Error("expected a reference");
    const opening = googlechat.openAttachment?.(file.reference, app.context, AbortSignal.timeout(5_000));
    await expect(opening).rejects.toThrow("Google Drive");
  });

  test("that comes along when the app is added by a mention is read", async () => {
    const app = await makeChatApp();
    expect((await messageIn(app, app.event({ type: "ADDED_TO_SPACE", space: ROOM }))).text).toBe("hello");
  });
});

describe("an event of an add-on", () => {
  const chat = (payload: object) => ({ chat: { user: ADA, eventTime: "2026-11-25T10:00:00Z", ...payload } });

  test("with a message is that message", async () => {
    const app = await makeChatApp();
    const event = { commonEventObject: {}, ...chat({ messagePayload: { message: app.message(), space: DM } }) };
    expect(await messageIn(app, event)).toEqual(await messageIn(app, app.event()));
  });

  test("with a command is the command's message", async () => {
    const app = await makeChatApp();
    const message = app.message({ text: "/help", slashCommand: { commandId: 1 } });
    expect((await messageIn(app, chat({ appCommandPayload: { message, space: DM } }))).text).toBe("/help");
  });

  test.each(["addedToSpacePayload", "removedFromSpacePayload", "widgetUpdatedPayload", "newPayload"])(
    "with %s is answered",
    async (name) => {
      expect((await receive(await makeChatApp(), chat({ [name]: { space: DM } }))).kind).toBe("answered");
    },
  );

  test("with a message that is none is refused", async () => {
    expect(statusOf(await receive(await makeChatApp(), chat({ messagePayload: { message: {}, space: DM } })))).toBe(
      "400",
    );
  });
});

describe("a pressed button", () => {
  const below = { name: "spaces/ROOM/messages/Q", thread: { name: "spaces/ROOM/threads/T" }, sender: { name: APP } };
  const says = { says: "/approve abc allow-once" };
  const at = "2026-11-25T10:00:00Z";
  const forms = {
    "of a classic app": {
      ...{ type: "CARD_CLICKED", eventTime: at, user: ADA, space: ROOM, message: below },
      common: { invokedFunction: "says", parameters: says },
    },
    "of an add-on": {
      commonEventObject: { parameters: says },
      chat: { user: ADA, eventTime: at, buttonClickedPayload: { message: below, space: ROOM } },
    },
  };

  test.each(Object.entries(forms))("%s says what it stands for, where it is", async (_, event) => {
    expect(await messageIn(await makeChatApp(), event)).toMatchObject({
      text: "/approve abc allow-once",
      sender: { id: "users/77" },
      conversation: { kind: "group", id: "spaces/ROOM", threadId: "spaces/ROOM/threads/T" },
      mentioned: true,
    });
  });

  test("that is pressed again says it again, one event says it once", async () => {
    const app = await makeChatApp();
    const form = forms["of a classic app"];
    const ids = [form, form, { ...form, eventTime: "2026-11-25T10:00:05Z" }].map((one) => messageIn(app, one));
    const [first, same, again] = (await Promise.all(ids)).map(({ dedupeId }) => dedupeId);
    expect(same).toBe(first);
    expect(again).not.toBe(first);
  });

  test("that is not the agent's is answered", async () => {
    const event = { ...forms["of a classic app"], common: { parameters: { actionId: "x" } } };
    expect((await receive(await makeChatApp(), event)).kind).toBe("answered");
  });
});

test("other apps are heard only where the account lets bots in, the app itself never", async () => {
  const bot = { name: "users/2000", displayName: "CI", type: "BOT" };
  const event = (app: TestApp, sender: object) => app.event({ space: ROOM, message: app.message({ sender }) });
  const closed = await makeChatApp();
  expect((await receive(closed, event(closed, bot))).kind).toBe("answered");
  const open = await makeChatApp({ allowBots: true, botUser: APP });
  expect((await messageIn(open, event(open, bot))).sender.isBot).toBe(true);
  expect((await receive(open, event(open, { ...bot, name: APP }))).kind).toBe("answered");
});
