import { runInDurableObject, SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { asked, call, env, historyOf, script, waitFor } from "./client.ts";

const BOT = "7000000001:flow";
let nextUpdate = 1000;

function update(text: string, from: number, more: object = {}) {
  const id = nextUpdate++;
  const user = { id: from, is_bot: false, first_name: `User ${from}` };
  const message = {
    message_id: id,
    date: 1_780_000_000,
    chat: { id: from, type: "private" },
    from: user,
    text,
    ...more,
  };
  return { update_id: id, message };
}

function deliver(body: unknown, secret = "flow-webhook-secret") {
  return SELF.fetch("https://isopod.test/channels/telegram/default/webhook", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": secret },
    body: JSON.stringify(body),
  });
}

async function sent(chat: number): Promise<string[]> {
  const calls = await (await fetch(`${env.TEST_BOT_API}/control/${BOT}/calls`)).json<any[]>();
  return calls
    .filter((made) => made.method === "sendMessage" && String(made.args.chat_id) === String(chat))
    .map((made) => made.args.text);
}

test("a message from the owner gets its reply through the Bot API, and the same conversation is on the page", async () => {
  await script("default", [{ text: "**Hello** from the edge." }]);
  const before = (await sent(42)).length;
  expect((await deliver(update("Hi bot", 42))).status).toBe(200);
  await waitFor(async () => (await sent(42)).length > before);
  expect((await sent(42)).slice(before)).toEqual(["<b>Hello</b> from the edge."]);
  const { messages } = await historyOf("agent:main:main");
  expect(messages).toMatchObject([{ role: "user", text: "Hi bot" }, { role: "assistant" }]);
});

test("a redelivered Telegram update is one run and one reply", async () => {
  await script("default", [{ text: "Once." }]);
  const body = update("Twice?", 42);
  const before = (await sent(42)).length;
  await Promise.all([deliver(body), deliver(body)]);
  await deliver(body);
  await waitFor(async () => (await sent(42)).length > before);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await sent(42)).slice(before)).toEqual(["Once."]);
  expect(await asked("default")).toHaveLength(1);
});

test("a Telegram webhook with a wrong secret is refused, and nothing is stored", async () => {
  await script("default", [{ text: "no" }]);
  expect((await deliver(update("Let me in", 42), "wrong")).status).toBe(401);
  expect(await asked("default")).toHaveLength(0);
});

test("an unknown sender gets a pairing code once, and once approved a session of their own", async () => {
  await script("default", [{ text: "Welcome." }]);
  await deliver(update("Hello?", 77));
  await waitFor(async () => (await sent(77)).length === 1);
  await deliver(update("Anybody?", 77));
  const code = /<b>([0-9A-Z]{8})<\/b>/.exec((await sent(77))[0]!)![1]!;
  expect(await asked("default")).toHaveLength(0);
  expect((await call("POST", "/v1/pairings/approve", { code: "WRONG" })).status).toBe(404);
  expect((await call("POST", "/v1/pairings/approve", { code })).status).toBe(200);
  await deliver(update("Now?", 77));
  await waitFor(async () => (await sent(77)).includes("Welcome."));
  expect((await sent(77)).filter((text) => text.includes(code))).toHaveLength(1);
  const { messages } = await historyOf("agent:main:telegram:direct:77");
  expect(messages).toMatchObject([{ text: "Now?", sender: { owner: false } }, { role: "assistant" }]);
  const { tools, messages: seen } = (await asked("default")).at(-1)!.body;
  expect(tools.map((tool: any) => tool.function.name)).toEqual(["read", "ls", "message", "session_status"]);
  expect(Object.keys(tools[3].function.parameters.properties)).toEqual(["sessionKey"]);
  expect(JSON.stringify(seen)).not.toContain("## USER.md");
});

test("a reply whose delivery is uncertain is marked unsure, not repeated, and sent again on request", async () => {
  await script("default", [{ text: "Did it arrive?" }]);
  const answers = [{ method: "sendMessage", cut: "after" }];
  await fetch(`${env.TEST_BOT_API}/control/${BOT}`, { method: "PUT", body: JSON.stringify({ answers }) });
  await deliver(update("Unsure", 42));
  const last = async () => (await historyOf("agent:main:main")).messages.at(-1) as unknown as { runId: string };
  await waitFor(async () => JSON.stringify(await last()).includes("Did it arrive?"));
  const { runId } = await last();
  const deliveries = async () =>
    (await (await call("GET", `/v1/runs/${runId}`)).json<{ deliveries: { deliveryId: string; status: string }[] }>())
      .deliveries;
  await waitFor(async () => (await deliveries())[0]?.status === "unsure");
  const before = (await sent(42)).length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await sent(42)).toHaveLength(before);
  const [{ deliveryId } = { deliveryId: "" }] = await deliveries();
  await call("POST", `/v1/runs/${runId}/deliveries/${deliveryId}/resend`);
  await waitFor(async () => (await deliveries())[0]?.status === "delivered");
  expect(await sent(42)).toHaveLength(before + 1);
  expect((await call("POST", `/v1/runs/${runId}/deliveries/dlv_0/resend`)).status).toBe(404);
});

test("a request to resend that reaches the session twice sends once, whatever became of the delivery", async () => {
  await script("default", [{ text: "Is it there?" }]);
  const answers = Array.from({ length: 3 }, () => ({ method: "sendMessage", cut: "after" }));
  await fetch(`${env.TEST_BOT_API}/control/${BOT}`, { method: "PUT", body: JSON.stringify({ answers }) });
  await deliver(update("Unsure again", 42));
  const attempts = async () => (await sent(42)).filter((text) => text === "Is it there?").length;
  await waitFor(async () => (await attempts()) === 1);
  const runId = ((await historyOf("agent:main:main")).messages.at(-1) as unknown as { runId: string }).runId;
  const delivery = async () =>
    (await (await call("GET", `/v1/runs/${runId}`)).json<{ deliveries: { deliveryId: string; status: string }[] }>())
      .deliveries[0];
  await waitFor(async () => (await delivery())?.status === "unsure");
  const stub: any = env.SESSIONS.getByName(await objectNameOf("agent:main:main"));
  const request = { runId, deliveryId: (await delivery())?.deliveryId, askedAt: Date.now() + 1 };
  for (const again of [false, true]) {
    expect(await stub.resend(request)).toMatchObject({ status: again ? "unsure" : "pending" });
    await waitFor(async () => (await delivery())?.status === "unsure");
    expect(await attempts()).toBe(2);
  }
  await call("POST", `/v1/runs/${runId}/deliveries/${request.deliveryId}/resend`);
  await waitFor(async () => (await attempts()) === 3);
  await waitFor(async () => (await delivery())?.status === "unsure");
  await call("POST", `/v1/runs/${runId}/deliveries/${request.deliveryId}/resend`);
  await waitFor(async () => (await delivery())?.status === "delivered");
});

test("a channel that answers 429 is called again after its pause, and the reply arrives once", async () => {
  await script("default", [{ text: "Patient." }]);
  const answers = [{ method: "sendMessage", retryAfter: 1 }];
  const control = `${env.TEST_BOT_API}/control/${BOT}`;
  await fetch(control, { method: "PUT", body: JSON.stringify({ answers }) });
  const calls = async () => (await sent(42)).filter((text) => text === "Patient.").length;
  await deliver(update("Be patient", 42));
  await waitFor(async () => (await calls()) === 1);
  const runId = ((await historyOf("agent:main:main")).messages.at(-1) as unknown as { runId: string }).runId;
  const deliveries = async () =>
    (await (await call("GET", `/v1/runs/${runId}`)).json<{ deliveries: { status: string }[] }>()).deliveries;
  await waitFor(async () => (await deliveries()).every(({ status }) => status === "delivered"));
  expect(await deliveries()).toHaveLength(1);
  const stub: any = env.SESSIONS.getByName(await objectNameOf("agent:main:main"));
  await runInDurableObject(stub, async (_, { storage }) => {
    expect(storage.sql.exec("select id from outbox where status in ('pending', 'sending')").toArray()).toEqual([]);
  });
  // The call that was answered 429, and the one that was taken.
  expect(await calls()).toBe(2);
});

test("a webhook of an unknown account gets the same 404 as one of an unknown channel, and neither name is echoed", async () => {
  const answers = await Promise.all(
    ["telegram/nobody", "nochannel/default", "nochannel/nobody"].map(async (address) => {
      const response = await SELF.fetch(`https://isopod.test/channels/${address}/webhook`, { method: "POST" });
      return { status: response.status, body: await response.text() };
    }),
  );
  expect(answers[0]?.status).toBe(404);
  expect(answers[0]?.body).not.toMatch(/nobody|telegram/);
  expect(answers).toEqual([answers[0], answers[0], answers[0]]);
});

test("replies show their usage where the owner turned that on, and the transcript leaves it out", async () => {
  await script("default", [
    { text: "Plain.", usage: { input: 1234, output: 56 } },
    { text: "In full." },
    { text: "No more." },
  ]);
  const say = async (text: string, expected: string) => {
    await deliver(update(text, 42));
    await waitFor(async () => (await sent(42)).at(-1) === expected);
  };
  await say("/usage tokens", "Usage line in replies: <b>tokens</b>.");
  await say("Hi", "Plain.\n\n<i>1.2k tokens in, 56 out</i>");
  await say("/usage full", "Usage line in replies: <b>full</b>.");
  await say("Hi", "In full.\n\n<i>10 tokens in, 5 out · fake/default</i>");
  await say("/usage default", "Usage line in replies: <b>off</b>.");
  await say("Hi", "No more.");
  expect(JSON.stringify(await historyOf("agent:main:main"))).not.toContain("tokens in, 56 out");
});
