import { expect, test } from "vitest";
import { slack } from "../../../src/channels/slack/slack.ts";
import { makeApp } from "./test-app.ts";

const url = "https://agent.example.com/channels/slack/default/webhook";
const findings = async (app = makeApp(), webhookUrl = url) =>
  (await slack.check?.(app.context, webhookUrl, new AbortController().signal)) ?? [];

test("a look at an app that works names its bot", async () => {
  expect(await findings()).toEqual([{ status: "ok", message: "the bot is @isopod (U0ISOPODBOT) in Lab." }]);
});

test.each([
  ["a token that is no bot's", makeApp({}, { SLACK_BOT_TOKEN: "xoxp-1" }), "fail", "xoxb-"],
  ["a token that was revoked", makeApp({}, { SLACK_BOT_TOKEN: "xoxb-revoked" }), "fail", "SLACK_BOT_TOKEN"],
  ["a token that has expired", makeApp({}, { SLACK_BOT_TOKEN: "xoxb-expired" }), "fail", "token rotation"],
  ["a missing signing secret", makeApp({}, { SLACK_SIGNING_SECRET: undefined }), "fail", "Basic Information"],
  ["another bot's id", makeApp({ botUserId: "U0OTHER" }), "warn", "botUserId"],
])("a look finds %s", async (_, app, status, words) => {
  const found = (await findings(app)).filter((one) => one.status === status);
  expect(JSON.stringify(found)).toContain(words);
});

test("a look finds an address that Slack cannot call", async () => {
  const found = await findings(makeApp(), "http://127.0.0.1:8787/x");
  expect(found).toContainEqual(expect.objectContaining({ status: "warn" }));
});
