import {
  env,
  evictDurableObject,
  listDurableObjectIds,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import type { GatewaySession } from "../../src/channels/discord/gateway-protocol.ts";
import type { DiscordGateway } from "../../src/events/discord-gateway.ts";
import { tick } from "../../src/events/scheduled.ts";
import type { GatewayStatus } from "../../src/services/discord-gateways.ts";
import { inServer } from "../channels/discord/test-app.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import type { GatewayLog, GatewayOrders } from "../fakes/platforms/discord-gateway.ts";
import { asked, call, historyOf, script, waitFor } from "../flow/client.ts";
import { channelSecrets, testSecrets } from "../flow/config.ts";
import { patchConfig } from "../schedule/clock-lab.ts";

const PLATFORMS = inject("platforms");
const GATEWAY = inject("discordGateway");

/** An account of its own, with a place at the fake Discord and one at its Gateway. */
async function makeAccount(id: string, { account = {}, gateway = {} }: { account?: object; gateway?: object } = {}) {
  lastAccount = id;
  const discord = knownPlace("discord", id, PLATFORMS);
  const url = `${GATEWAY.replace("http", "ws")}/${id}/`;
  await fetch(`${PLATFORMS}/control/discord/${id}`, {
    method: "PUT",
    body: JSON.stringify({ memory: { gateway: { url, remaining: 1000, ...gateway } } }),
  }).then((response) => response.text());
  const groups = { "501": {} };
  await configure(id, { apiBase: discord.url, gateway: true, groups, ...account });
  // A stub of an object that was killed stays broken.
  const stub = () => env.DISCORD_GATEWAYS.getByName(id);
  const order = async (orders: GatewayOrders = {}): Promise<GatewayLog> => {
    const body = JSON.stringify(orders);
    return (await fetch(`${GATEWAY}/control/${id}`, { method: "POST", body })).json();
  };
  const isConnected = () => waitFor(async () => (await stub().status()).state === "connected");
  return {
    stub,
    order,
    isConnected,
    frames: async (op: number) => (await order()).received.filter((frame) => frame.op === op),
    start: (again = false): Promise<GatewayStatus> => stub().start(id, again),
    async connect() {
      await stub().start(id);
      await isConnected();
    },
    /** The texts that the bot has sent to the channel. */
    async sent(): Promise<unknown[]> {
      return (await discord.calls("channels/501/messages")).map(({ fields }) => fields.content);
    },
    asksFor: (path: string) => discord.calls(path),
  };
}

let lastAccount = "none";

afterEach(() => configure(lastAccount, null));

function configure(id: string, account: object | null): Promise<void> {
  return patchConfig({ channels: { discord: { accounts: { [id]: account } } } });
}

let lastMessage = 0;

/** An event of a message that mentions the bot. */
function said(text: string, more: object = {}) {
  const id = String(1_460_000_000_000_000_000n + BigInt(++lastMessage));
  const author = { id: "430", username: "ada", global_name: "Ada" };
  const mentions = [{ id: "900", username: "Isopod", bot: true }];
  const place = { channel_id: "501", guild_id: "500", channel_type: 0 };
  const d = {
    id,
    ...place,
    type: 0,
    author,
    mentions,
    content: `<@900> ${text}`,
    attachments: [],
    embeds: [],
    ...more,
  };
  return { t: "MESSAGE_CREATE", d };
}

/** The last event that does not have to come again. */
function storedSeq(stub: DurableObjectStub<DiscordGateway>): Promise<number | undefined> {
  return runInDurableObject(
    stub,
    (_, { storage }) => storage.kv.get<{ session?: GatewaySession }>("gateway")?.session?.seq,
  );
}

/** How often a text stands in the conversation of the channel. */
async function timesSaid(text: string): Promise<number> {
  const { messages = [] } = await historyOf("agent:main:discord:channel:501");
  return messages.filter((message: { text?: string }) => message.text === text).length;
}

test("what is said in a channel reaches the agent, and its reply goes there", async () => {
  await script("default", [{ text: "Hello, channel." }]);
  const at = await makeAccount("gw-speak");
  await at.connect();
  const [identify] = await at.frames(2);
  expect(identify?.d).toMatchObject({
    token: channelSecrets.DISCORD_BOT_TOKEN,
    intents: (1 << 9) | (1 << 12) | (1 << 15),
  });
  await at.order({ dispatch: [said("Hi")] });
  await waitFor(async () => (await at.sent()).length === 1);
  expect(await at.sent()).toEqual(["Hello, channel."]);
  expect(await timesSaid("Hi")).toBe(1);
});

test("what does not address the agent, what bots say, and reactions start nothing", async () => {
  await script("default", [{ text: "Only this." }]);
  const at = await makeAccount("gw-quiet");
  await at.connect();
  const before = (await asked("default")).length;
  await at.order({
    dispatch: [
      said("Not you", { mentions: [], content: "Not you" }),
      said("I am a bot", { author: { id: "77", username: "other", bot: true } }),
      said("That was me", { author: { id: "900", username: "Isopod", bot: true } }),
      { t: "MESSAGE_REACTION_ADD", d: { user_id: "430", message_id: "1", channel_id: "501", emoji: { name: "👍" } } },
      said("You"),
    ],
  });
  await waitFor(async () => (await at.sent()).length === 1);
  expect(await asked("default")).toHaveLength(before + 1);
});

describe("the heart of a connection", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
  afterEach(() => vi.useRealTimers());

  /** Lets the time of one heartbeat pass. */
  async function pass(stub: { id: DurableObjectId }): Promise<void> {
    vi.setSystemTime(Date.now() + 42_000);
    await runDurableObjectAlarm(stub as never);
  }

  test("beats in time and when Discord asks, with the number of the last event", async () => {
    const at = await makeAccount("gw-beat");
    await at.connect();
    await at.order({ dispatch: [{ t: "TYPING_START", d: {} }], send: { op: 1 } });
    await waitFor(async () => (await at.frames(1)).length === 1);
    await pass(at.stub());
    await waitFor(async () => (await at.frames(1)).length === 2);
    // It is answered once the answer to the last one has come.
    await at.order({ send: { op: 1 } });
    await waitFor(async () => (await at.frames(1)).length === 3);
    await pass(at.stub());
    await waitFor(async () => (await at.frames(1)).length === 4);
    expect((await at.frames(1)).map(({ d }) => d)).toEqual([2, 2, 2, 2]);
    expect((await at.order()).connections).toBe(1);
  });

  test("that gets no answer ends it, and the session is resumed on another", async () => {
    const at = await makeAccount("gw-mute");
    await at.connect();
    await at.order({ isMute: true });
    await pass(at.stub());
    await waitFor(async () => (await at.frames(1)).length === 1);
    await pass(at.stub());
    await waitFor(async () => (await at.frames(6)).length === 1);
    await at.isConnected();
    expect(await at.frames(2)).toHaveLength(1);
  });
});

test("what was said while the connection was cut comes once", async () => {
  await script("default", [{ text: "First." }, { text: "Second." }]);
  const at = await makeAccount("gw-cut");
  await at.connect();
  await at.order({ dispatch: [said("before the cut")] });
  await waitFor(async () => (await storedSeq(at.stub())) === 2);
  await at.order({ cut: true });
  await at.order({ dispatch: [said("during the cut")] });
  await waitFor(async () => (await at.sent()).length === 2);
  expect(await at.sent()).toEqual(["First.", "Second."]);
  expect([await timesSaid("before the cut"), await timesSaid("during the cut")]).toEqual([1, 1]);
  expect((await at.frames(6)).map(({ d }) => d)).toMatchObject([{ seq: 2 }]);
  expect(await at.frames(2)).toHaveLength(1);
});

test("what was said while the object was evicted comes once, and so does what was taken up just before", async () => {
  await script("default", [{ text: "First." }, { text: "Second." }]);
  const at = await makeAccount("gw-evict");
  await at.connect();
  await at.order({ dispatch: [said("before the eviction")] });
  await waitFor(async () => (await timesSaid("before the eviction")) === 1);
  // It died before it had stored how far it was.
  await runInDurableObject(at.stub(), (_, { storage }) => {
    const record = storage.kv.get<{ session: { seq: number } }>("gateway")!;
    storage.kv.put("gateway", { ...record, session: { ...record.session, seq: 1 } });
  });
  const killed = runInDurableObject(at.stub(), (_, state) => state.abort("killed by a test"));
  await expect(killed).rejects.toThrow("killed by a test");
  await waitFor(async () => (await at.order()).open === 0);
  await at.order({ dispatch: [said("during the eviction")] });
  await at.start();
  await waitFor(async () => (await at.sent()).length === 2);
  expect((await at.frames(6)).at(-1)?.d).toMatchObject({ seq: 1 });
  expect(await at.sent()).toEqual(["First.", "Second."]);
  expect([await timesSaid("before the eviction"), await timesSaid("during the eviction")]).toEqual([1, 1]);
  expect(await at.frames(2)).toHaveLength(1);
});

test("the deletion of a message is known to be its author's, although Discord does not say whose it was", async () => {
  await script("default", [{ text: "Read." }]);
  const at = await makeAccount("gw-delete", { account: { groups: { "501": { historyLimit: 5 } } } });
  await at.connect();
  const message = said("Forget this");
  await at.order({ dispatch: [message] });
  await waitFor(async () => (await at.sent()).length === 1);
  const { id, channel_id, guild_id } = message.d;
  await at.order({ dispatch: [{ t: "MESSAGE_DELETE", d: { id, channel_id, guild_id } }] });
  const changes = async () => {
    const { messages } = await historyOf("agent:main:discord:channel:501");
    return messages.filter(({ said: about }: { said?: { change?: string } }) => about?.change === "deleted");
  };
  await waitFor(async () => (await changes()).length === 1);
  expect(await changes()).toMatchObject([{ sender: { id: "430" }, said: { messageId: id } }]);
});

test("commands come over the Gateway while the application names no address for them, and are answered", async () => {
  await script("default", [{ text: "By the Gateway." }]);
  const at = await makeAccount("gw-command");
  await at.connect();
  const ask = inServer({ data: { id: "1", name: "ask", type: 1, options: [{ name: "text", type: 3, value: "Hi" }] } });
  await at.order({ dispatch: [{ t: "INTERACTION_CREATE", d: ask }] });
  const edits = async () => (await at.asksFor("@original")).filter(({ method }) => method === "PATCH");
  await waitFor(async () => (await edits()).length === 1);
  expect((await at.asksFor("callback")).map(({ fields }) => fields)).toEqual([{ type: 5 }]);
  expect(await edits()).toMatchObject([{ fields: { content: "By the Gateway." } }]);
});

test("a session that is over is followed by another", async () => {
  const at = await makeAccount("gw-over");
  await at.connect();
  await at.order({ forget: true });
  await at.order({ close: 4000 });
  await waitFor(async () => (await at.frames(2)).length === 2);
  await at.isConnected();
});

test("Discord's request for another connection is followed, and the session goes on", async () => {
  const at = await makeAccount("gw-again");
  await at.connect();
  await at.order({ send: { op: 7 } });
  await waitFor(async () => (await at.frames(6)).length === 1);
  await at.isConnected();
});

test("with another token all begins anew", async () => {
  const at = await makeAccount("gw-other", { account: { botToken: { source: "env", id: "LEAKY_TOKEN" } } });
  await at.connect();
  await configure("gw-other", { botToken: { source: "env", id: "DISCORD_BOT_TOKEN" } });
  await at.start();
  await waitFor(async () => (await at.frames(2)).length === 2);
  const tokens = (await at.frames(2)).map(({ d }) => (d as { token: string }).token);
  expect(tokens).toEqual([testSecrets.LEAKY_TOKEN, channelSecrets.DISCORD_BOT_TOKEN]);
  await waitFor(async () => (await at.order()).open === 1);
});

describe("where a person has to do something first", () => {
  test("a wrong token ends it, with what to do", async () => {
    const at = await makeAccount("gw-token", { account: { botToken: { source: "env", id: "DISCORD_WRONG_TOKEN" } } });
    const expected = {
      state: "waiting",
      problem: expect.stringContaining("DISCORD_WRONG_TOKEN"),
      fix: expect.stringContaining("Reset Token"),
    };
    expect(await at.start()).toMatchObject(expected);
    expect(await at.start()).toMatchObject(expected);
    expect(await at.asksFor("gateway/bot")).toHaveLength(1);
    expect((await at.order()).connections).toBe(0);
  });

  test("an intent that is switched off ends it, until it is connected again by hand", async () => {
    const at = await makeAccount("gw-intent");
    await at.order({ refuse: [4014] });
    await at.start();
    await waitFor(async () => (await at.stub().status()).state === "waiting");
    expect(await at.start()).toMatchObject({ fix: expect.stringContaining("Message Content Intent") });
    const doctor = await call("GET", "/v1/doctor").then((response) =>
      response.json<{ checks: { message: string; status: string }[] }>(),
    );
    const told = doctor.checks.filter(({ message }) => message.includes("gw-intent"));
    expect(told.at(-1)).toMatchObject({
      status: "fail",
      message: expect.stringContaining("may not read the contents"),
    });
    await evictDurableObject(at.stub());
    expect(await at.start()).toMatchObject({ state: "waiting" });
    expect((await at.order()).connections).toBe(1);
    await at.start(true);
    await at.isConnected();
  });

  test("too many sessions of a day end it before Discord resets the token", async () => {
    const at = await makeAccount("gw-limit", { gateway: { remaining: 5 } });
    expect(await at.start()).toMatchObject({ state: "waiting", problem: expect.stringContaining("too many sessions") });
    expect((await at.order()).connections).toBe(0);
  });
});

describe("the clock", () => {
  test("starts the connections that the configuration asks for", async () => {
    const at = await makeAccount("gw-tick");
    await tick(env, Date.now());
    await at.isConnected();
  });

  test("begins no object where no account asks for one", async () => {
    await makeAccount("gw-off", { account: { gateway: false } });
    const before = (await listDurableObjectIds(env.DISCORD_GATEWAYS)).length;
    await configure("gw-off", { gateway: false });
    await tick(env, Date.now());
    expect((await listDurableObjectIds(env.DISCORD_GATEWAYS)).length).toBeLessThanOrEqual(before);
  });
});

test("a connection that is switched off ends, and leaves nothing behind", async () => {
  const at = await makeAccount("gw-switch");
  await at.connect();
  await configure("gw-switch", { gateway: false });
  await runDurableObjectAlarm(at.stub());
  await waitFor(async () => (await at.order()).open === 0);
  expect(await at.stub().status()).toEqual({ state: "off" });
  await runInDurableObject(at.stub(), async (_, { storage }) => {
    expect(await storage.getAlarm()).toBeNull();
    expect([...storage.kv.list()]).toEqual([]);
  });
});
