import { describe, expect, inject, test } from "vitest";
import { slack } from "../../../src/channels/slack/slack.ts";
import { delivered, makeApp, message, NOW_SECONDS, SIGNING_SECRET, signed } from "./test-app.ts";

interface SignatureVector {
  scheme: string;
  name: string;
  secret: string;
  headers?: Record<string, string>;
  body: string;
  verify_at_unix: number;
  valid: boolean | null;
}

test.skipIf(!inject("fixtures"))("every recorded signature is judged as it was recorded", async () => {
  const response = await fetch(`${inject("modelServer")}/fixtures/webhooks/vectors.json`);
  const { vectors: all } = await response.json<{ vectors: SignatureVector[] }>();
  const vectors = all.filter(({ scheme, headers }) => scheme === "slack" && headers !== undefined);
  expect(vectors).not.toEqual([]);
  for (const { name, secret, headers = {}, body, verify_at_unix: at, valid } of vectors) {
    const { context } = makeApp({}, { SLACK_SIGNING_SECRET: secret });
    const request = new Request("https://isopod.example/hook", { method: "POST", headers, body });
    const received = await slack.receive(request, { ...context, now: () => at * 1000 });
    expect(received.kind, name).toBe(valid ? "events" : "refused");
    if (received.kind === "refused") expect(received.response.status, name).toBe(401);
  }
});

describe("a request of Slack's", () => {
  const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aBm2r", token: "x" });
  const { context } = makeApp();

  test("is taken five minutes around its time, and not a second more", async () => {
    for (const [seconds, kind] of [
      [-301, "refused"],
      [-300, "answered"],
      [300, "answered"],
      [301, "refused"],
    ] as const) {
      const request = await signed(body, { seconds: NOW_SECONDS + seconds });
      expect((await slack.receive(request, context)).kind, String(seconds)).toBe(kind);
    }
  });

  test("is refused with a signature of another form, or without", async () => {
    const genuine = (await signed(body)).headers.get("X-Slack-Signature")!;
    for (const signature of [genuine.slice(3), genuine.replace("v0", "v1"), `${genuine}00`, "v0=", "v0=zz", ""]) {
      const request = await signed(body, { headers: { "X-Slack-Signature": signature } });
      expect(await slack.receive(request, context), signature).toMatchObject({ response: { status: 401 } });
    }
  });

  test("is refused for an empty secret, even if it is signed with one", async () => {
    const { context: empty } = makeApp({}, { SLACK_SIGNING_SECRET: "" });
    expect(await slack.receive(await signed(body), empty)).toMatchObject({ response: { status: 401 } });
  });

  test("has its body read only after its size, its time and the form of its signature are checked", async () => {
    const { headers } = await signed(body);
    for (const [status, changed] of [
      [413, { "Content-Length": "1048577" }],
      [401, { "X-Slack-Request-Timestamp": "1" }],
      [401, { "X-Slack-Signature": "none" }],
    ] as const) {
      let read = 0;
      const stream = new ReadableStream<Uint8Array>({ pull: () => void read++ }, { highWaterMark: 0 });
      const all = { ...Object.fromEntries(headers), ...lowered(changed) };
      const request = new Request("https://isopod.example/hook", { method: "POST", headers: all, body: stream });
      expect(await slack.receive(request, context)).toMatchObject({ response: { status } });
      expect(read).toBe(0);
    }
  });

  test("that shakes hands gets the challenge back, also while the app is not installed and has no token", async () => {
    const { context: before } = makeApp({}, { SLACK_BOT_TOKEN: undefined });
    const received = await slack.receive(await signed(body), before);
    if (received.kind !== "answered") throw new Error(received.kind);
    expect(await received.response?.text()).toBe("3eZbrw1aBm2r");
  });

  test("that brings a message is answered 503 while there is no token, so that Slack sends it again", async () => {
    const { context: before } = makeApp({}, { SLACK_BOT_TOKEN: undefined });
    const received = await slack.receive(await delivered(message("hello")), before);
    if (received.kind !== "refused") throw new Error(received.kind);
    expect(received.response.status).toBe(503);
    expect(await received.response.text()).toContain("SLACK_BOT_TOKEN");
  });

  test("that is sent again is the same message", async () => {
    const headers = { "X-Slack-Retry-Num": "3", "X-Slack-Retry-Reason": "http_timeout" };
    const request = new Request(await delivered(message("hello")), {});
    const again = new Request(request.clone(), {
      headers: { ...Object.fromEntries(request.headers), ...lowered(headers) },
    });
    expect(await slack.receive(again, context)).toEqual(await slack.receive(request, context));
  });

  test("is answered with the field that is wrong", async () => {
    const received = await slack.receive(await delivered({ type: "message", text: "no place", ts: "1.2" }), context);
    if (received.kind !== "refused") throw new Error(received.kind);
    expect(received.response.status).toBe(400);
    expect(await received.response.text()).toContain("channel");
  });

  test.each([
    ["of a type of its own", JSON.stringify({ type: "app_rate_limited", minute_rate_limited: 1 })],
    ["of a type that is not known", JSON.stringify({ type: "something_new" })],
    ["that checks the certificate", "ssl_check=1&token=x"],
    ["that submits a dialog", new URLSearchParams({ payload: '{"type":"view_submission"}' }).toString()],
  ])("%s is answered with nothing", async (_, text) => {
    const received = await slack.receive(await signed(text), context);
    if (received.kind !== "answered") throw new Error(received.kind);
    expect(await received.response?.text()).toBe("");
  });

  test.each(["payload=%7B", "payload=7", "colour=blue", '{"type":"event_callback"}', "command=%2Fisopod"])(
    "is refused if it is none: %s",
    async (text) => {
      expect(await slack.receive(await signed(text), context)).toMatchObject({ response: { status: 400 } });
    },
  );
});

function lowered(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

describe("a Slack account", () => {
  test("is restrictive by default: pairing, no groups, and only when addressed", () => {
    expect(slack.account.parse({})).toEqual({
      botToken: { source: "env", id: "SLACK_BOT_TOKEN" },
      signingSecret: { source: "env", id: "SLACK_SIGNING_SECRET" },
      apiBase: "https://slack.com/api",
      slashCommand: "/isopod",
      dmPolicy: "pairing",
      allowFrom: [],
      groupPolicy: "allowlist",
      groups: {},
      allowBots: false,
      requireMention: true,
      deliveries: { atLeastOnce: false },
      reactionLevel: "minimal",
      replyToMode: "off",
    });
  });

  test("refuses secrets by value, and names that Slack does not have", () => {
    for (const wrong of [
      { botToken: SIGNING_SECRET },
      { slashCommand: "isopod" },
      { botUserId: "@isopod" },
      { apiBase: "ftp://x" },
    ]) {
      expect(slack.account.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
    }
  });
});
