import { describe, expect, test } from "vitest";
import { discord } from "../../../src/channels/discord/discord.ts";
import { makeApp, PUBLIC_KEY } from "./test-app.ts";

const URL_HERE = "https://isopod.test/channels/discord/default/webhook";
const signal = new AbortController().signal;

type App = ReturnType<typeof makeApp>;

async function look({ context }: App) {
  return (await discord.check?.(context, URL_HERE, signal)) ?? [];
}

async function connect({ context }: App, options: object = {}) {
  const commands = [
    { name: "status", summary: "Show the status" },
    { name: "subagents log", summary: "Two words are no command of Discord's" },
    { name: "ask", summary: "Ours has this name" },
  ];
  return (
    (await discord.connect?.(context, { webhookUrl: URL_HERE, takeOver: false, commands, ...options }, signal)) ?? []
  );
}

/** What the application's settings are at Discord. */
async function remember({ place }: App, memory: object) {
  const control = place.url.replace("/discord/", "/control/discord/");
  await fetch(control, { method: "PUT", body: JSON.stringify({ memory }) }).then((response) => response.text());
}

describe("the doctor", () => {
  test("is content with an application that calls here", async () => {
    const app = makeApp();
    await remember(app, { endpoint: URL_HERE });
    expect(await look(app)).toEqual([
      { status: "ok", message: "the bot is Isopod." },
      { status: "ok", message: "Discord sends commands and buttons here." },
    ]);
  });

  test("names what is missing, and the right key where it can be known", async () => {
    const app = makeApp();
    delete app.secrets.DISCORD_BOT_TOKEN;
    app.secrets.DISCORD_PUBLIC_KEY = "nonsense";
    expect((await look(app)).map(({ message }) => message)).toEqual([
      "it has no token: DISCORD_BOT_TOKEN is not set.",
      "DISCORD_PUBLIC_KEY is no public key of 64 digits.",
    ]);
    const other = makeApp();
    other.secrets.DISCORD_PUBLIC_KEY = "ab".repeat(32);
    expect(await look(other)).toContainEqual({
      status: "fail",
      message: "DISCORD_PUBLIC_KEY is the key of another application.",
      fix: expect.stringContaining(PUBLIC_KEY),
    });
  });

  test("says where commands go instead, and what the gateway lacks", async () => {
    const app = makeApp({ gateway: true });
    await remember(app, { endpoint: "https://other.test/hook", flags: 0 });
    const found = await look(app);
    expect(found).toContainEqual(
      expect.objectContaining({ status: "warn", message: expect.stringContaining("other.test") }),
    );
    expect(found).toContainEqual(
      expect.objectContaining({ status: "fail", fix: expect.stringContaining("Message Content Intent") }),
    );
  });

  test("tells a wrong token from a Discord that does not answer", async () => {
    const app = makeApp();
    app.secrets.DISCORD_BOT_TOKEN = "wrong";
    expect((await look(app))[0]).toMatchObject({
      status: "fail",
      message: expect.stringContaining("does not know the bot"),
    });
    const silent = makeApp();
    await silent.place.script({ path: "users/@me", cut: "before" });
    expect((await look(silent))[0]).toMatchObject({
      status: "warn",
      message: expect.stringContaining("does not answer"),
    });
  });
});

describe("connecting", () => {
  test("registers the commands and sets the address, which may be repeated", async () => {
    const app = makeApp();
    for (const _ of [1, 2]) {
      const found = await connect(app);
      expect(found.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
      expect(found[2]?.message).toContain("client_id=1000");
    }
    const [call] = await app.place.calls("applications/1000/commands");
    const registered: { name: string; options?: { name: string; required?: boolean }[] }[] = JSON.parse(
      call?.body ?? "[]",
    );
    expect(registered.map(({ name }) => name)).toEqual(["ask", "status", "start", "Explain this message"]);
    expect(registered[0]?.options).toMatchObject([{ name: "text", required: true }, { name: "file" }]);
    expect((await app.place.calls("applications/@me")).filter(({ method }) => method === "PATCH")).toHaveLength(1);
  });

  test("leaves an application alone that calls another server, unless it is to be taken over", async () => {
    const app = makeApp();
    await remember(app, { endpoint: "https://other.test/hook" });
    expect(await connect(app)).toMatchObject([{ status: "warn", message: expect.stringContaining("other.test") }]);
    expect(await app.place.calls("commands")).toEqual([]);
    expect((await connect(app, { takeOver: true })).every(({ status }) => status === "ok")).toBe(true);
  });

  test("says what to do where Discord cannot test the address", async () => {
    const found = await connect(makeApp(), { webhookUrl: "http://127.0.0.1:8787/channels/discord/default/webhook" });
    expect(found).toContainEqual(expect.objectContaining({ status: "fail", fix: expect.stringContaining("https") }));
  });

  test("needs no address where the gateway is on", async () => {
    const found = await connect(makeApp({ gateway: true }), { webhookUrl: "http://127.0.0.1:8787/x" });
    expect(found).toContainEqual({ status: "ok", message: expect.stringContaining("over the gateway") });
  });

  test("begins with the key, without which Discord's test would fail", async () => {
    const app = makeApp();
    delete app.secrets.DISCORD_PUBLIC_KEY;
    expect(await connect(app)).toMatchObject([{ status: "fail", fix: expect.stringContaining(PUBLIC_KEY) }]);
    expect(await app.place.calls("commands")).toEqual([]);
  });
});
