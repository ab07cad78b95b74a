import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { listPairings } from "../../src/channels/pairing.ts";
import { call, env, waitFor } from "../flow/client.ts";

const BOT = "7000000001:flow";
const control = `${env.TEST_BOT_API}/control/${BOT}`;

async function bot(told: object): Promise<void> {
  await fetch(control, { method: "PUT", body: JSON.stringify(told) }).then((response) => response.text());
}

async function calls(method: string): Promise<any[]> {
  const all = await fetch(`${control}/calls`).then((response) => response.json<any[]>());
  return all.filter((call) => call.method === method);
}

async function post(path: string, body: object = {}): Promise<any> {
  return (await call("POST", `/v1/channels/telegram/default/${path}`, body)).json();
}

test("the accounts of channels are listed with what they can do and where the platform calls", async () => {
  const { accounts } = await (await call("GET", "/v1/channels")).json<any>();
  expect(accounts).toContainEqual(
    expect.objectContaining({
      ...{ channel: "telegram", account: "default", ready: true, canConnect: true, hasManifest: false },
      webhookUrl: "https://isopod.test/channels/telegram/default/webhook",
    }),
  );
});

test("a test asks the platform and sends a message where it is told to, and says how both came out", async () => {
  await bot({ webhook: { url: "" } });
  const { findings } = await post("test", { to: "71001" });
  expect(findings[0]).toMatchObject({ status: "ok", message: expect.stringContaining("isopod_7000000001_bot") });
  expect(findings.at(-1)).toEqual({ status: "ok", message: "the test message arrived at 71001." });
  const forbidden = { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" };
  await bot({ answers: [{ method: "sendMessage", status: 403, body: forbidden }] });
  const refused = await post("test", { to: "71001" });
  expect(refused.findings.at(-1)).toMatchObject({ status: "fail", fix: expect.stringContaining("blocked") });
  const nowhere = await call("POST", "/v1/channels/telegram/default/test", { to: "no such place" });
  expect(nowhere.status).toBe(400);
});

test("connecting sets the webhook, and leaves an address of another server alone unless it is told to take it over", async () => {
  await bot({ webhook: { url: "https://elsewhere.example/hook" } });
  const left = await post("connect", { url: "https://agent.example.com/ignored" });
  expect(left.findings).toMatchObject([{ status: "fail", message: expect.stringContaining("elsewhere.example") }]);
  expect(await calls("setWebhook")).toEqual([]);
  const taken = await post("connect", { url: "https://agent.example.com", takeOver: true });
  expect(taken.findings[0].status).toBe("ok");
  expect(await calls("setWebhook")).toMatchObject([
    {
      args: {
        url: "https://agent.example.com/channels/telegram/default/webhook",
        secret_token: "flow-webhook-secret",
        allowed_updates: expect.arrayContaining(["message", "edited_message", "callback_query"]),
      },
    },
  ]);
});

test("connecting to an address that Telegram cannot call says so, and names what to do", async () => {
  const { findings } = await post("connect", { url: "http://127.0.0.1:8787" });
  expect(findings).toMatchObject([{ status: "fail", fix: expect.stringContaining("npm start") }]);
});

test("an account that there is not, and a channel that cannot be connected, are named", async () => {
  expect((await call("POST", "/v1/channels/telegram/nobody/connect", {})).status).toBe(404);
  expect((await call("GET", "/v1/channels/telegram/default/manifest")).status).toBe(404);
});

test("an owner link makes whoever opens it first an owner, once", async () => {
  const { link, message } = await post("owner-link");
  const code = message.slice("/start ".length);
  expect(link).toBe(`https://t.me/isopod_bot?start=${code}`);
  expect(JSON.stringify(await listPairings(env.DB))).not.toContain(code);
  let update = 81_000;
  const start = (from: number) => {
    const chat = { id: from, type: "private" };
    const user = { id: from, is_bot: false, first_name: "Ada" };
    return SELF.fetch("https://isopod.test/channels/telegram/default/webhook", {
      method: "POST",
      headers: { "X-Telegram-Bot-Api-Secret-Token": "flow-webhook-secret" },
      body: JSON.stringify({
        update_id: update++,
        message: { message_id: update, date: 1, chat, from: user, text: message },
      }),
    });
  };
  await start(71_002);
  await waitFor(async () => (await calls("sendMessage")).some(({ args }) => String(args.chat_id) === "71002"));
  const owners = async () => (await listPairings(env.DB)).filter(({ owner }) => owner).map(({ id }) => id);
  expect(await owners()).toContain("telegram:default:71002");
  await start(71_003);
  expect(await owners()).not.toContain("telegram:default:71003");
});
