import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart, Target } from "../../../src/channels/channel.ts";
import type { SlackAccount } from "../../../src/channels/slack/account.ts";
import { slack } from "../../../src/channels/slack/slack.ts";
import { makeApp, type TestApp } from "./test-app.ts";

const signal = () => new AbortController().signal;

function send(app: TestApp, part: Partial<OutboundPart> = {}): Promise<Delivery> {
  return slack.send({ target: app.target, text: "hello", deliveryId: "dlv_1", ...part }, app.context, signal());
}

const CHANNEL: Target = { channel: "slack", accountId: "default", kind: "channel", conversationId: "C0LABCHAN1" };
const THREAD = "1799999990.000100";

describe("a message", () => {
  test("is posted without previews, in the thread that it belongs to", async () => {
    const app = makeApp();
    await send(app, { target: { ...CHANNEL, threadId: THREAD, replyToId: "1799999999.000100" } });
    await send(app, { target: { ...CHANNEL, replyToId: THREAD } });
    await send(app, { target: { ...CHANNEL, replyToId: "13345.738.8088930838d8" } });
    const [inThread, asReply, plain] = (await app.place.calls("chat.postMessage")).map(({ fields }) => fields);
    expect(inThread).toMatchObject({
      channel: "C0LABCHAN1",
      thread_ts: THREAD,
      unfurl_links: "false",
      unfurl_media: "false",
    });
    expect(asReply?.thread_ts).toBe(THREAD);
    expect(plain?.thread_ts).toBeUndefined();
  });

  test("that is sent again is known again by its delivery", async () => {
    const app = makeApp();
    const first = await send(app);
    expect(await send(app)).toEqual(first);
    expect(await send(app, { deliveryId: "dlv_2" })).not.toEqual(first);
  });

  test("has buttons below it, within Slack's limits", async () => {
    const app = makeApp();
    const text = `${"x".repeat(2990)}\n${"y".repeat(500)}`;
    const buttons = [
      [
        { label: "L".repeat(100), says: "/approve a1 allow-once" },
        { label: "No", says: "s".repeat(3000) },
      ],
      [{ label: "Later", says: "later" }],
    ];
    expect(await send(app, { text, buttons })).toMatchObject({ outcome: "delivered" });
    const [call] = await app.place.calls("chat.postMessage");
    const blocks = JSON.parse(String(call?.fields.blocks));
    expect(blocks.map(({ type }: { type: string }) => type)).toEqual(["section", "section", "actions", "actions"]);
    expect(blocks[0].text.text + blocks[1].text.text).toBe(text);
    expect(blocks[2].elements[0]).toMatchObject({ value: "/approve a1 allow-once", text: { text: "L".repeat(75) } });
  });
});

describe("what answers a command", () => {
  const via = { ...CHANNEL, via: "U0LABADA01" };

  test("is shown to its author alone, five times, and then sent to the author's DM", async () => {
    const app = makeApp();
    const token = `${app.place.url}/respond/1`;
    for (let n = 0; n < 6; n++)
      expect(await send(app, { target: via, token, deliveryId: `dlv_${n}` })).toMatchObject({ outcome: "delivered" });
    const answers = await app.place.calls("respond");
    expect(answers).toHaveLength(6);
    expect(answers[0]?.fields).toMatchObject({ response_type: "ephemeral", replace_original: false, text: "hello" });
    expect((await app.place.calls("chat.postMessage")).map(({ fields }) => fields.channel)).toEqual(["U0LABADA01"]);
  });

  test("is sent to the author's DM where its address has run out or is not Slack's", async () => {
    const app = makeApp();
    await send(app, { target: via });
    await send(app, { target: via, token: "https://hooks.slack.com.evil.example/x" });
    expect((await app.place.calls()).map(({ path, fields }) => [path, fields.channel])).toEqual([
      ["api/chat.postMessage", "U0LABADA01"],
      ["api/chat.postMessage", "U0LABADA01"],
    ]);
  });

  test("is unsure if the answer is lost, and does not show the address, which is a secret", async () => {
    const app = makeApp();
    await app.place.script({ path: "respond", cut: "after" });
    const delivery = await send(app, { target: via, token: `${app.place.url}/respond/secret-1` });
    expect(delivery).toMatchObject({ outcome: "unsure" });
    expect(JSON.stringify(delivery)).not.toContain("secret-1");
  });
});

describe("an error of Slack's, which comes with 200", () => {
  const answered = async (error: string, more: object = {}) => {
    const app = makeApp();
    await app.place.script({ body: { ok: false, error, ...more } });
    return send(app);
  };

  test.each([
    ["ratelimited", "retry", ""],
    ["message_limit_exceeded", "retry", ""],
    ["service_unavailable", "retry", ""],
    ["team_added_to_org", "retry", ""],
    ["internal_error", "unsure", ""],
    ["fatal_error", "unsure", ""],
    ["not_in_channel", "failed", "/invite"],
    ["channel_not_found", "failed", "/invite"],
    ["is_archived", "failed", "archived"],
    ["invalid_auth", "failed", "SLACK_BOT_TOKEN"],
    ["token_revoked", "failed", "SLACK_BOT_TOKEN"],
    ["token_expired", "failed", "token rotation"],
    ["msg_too_long", "failed", "too long"],
    ["messages_tab_disabled", "failed", "App Home"],
    ["user_disabled", "failed", "member"],
    ["restricted_action_read_only_channel", "failed", "administrators"],
    ["something_new", "failed", "something_new"],
  ])("%s is '%s', with words that help", async (error, outcome, words) => {
    const delivery = await answered(error);
    expect(delivery.outcome).toBe(outcome);
    if (delivery.outcome !== "delivered") expect(delivery.reason).toContain(words);
  });

  test("names the scope that is missing", async () => {
    expect(await answered("missing_scope", { needed: "chat:write", provided: "commands" })).toMatchObject({
      reason: expect.stringContaining("chat:write"),
    });
  });

  test("that is none of Slack's answers leaves it unsure", async () => {
    const app = makeApp();
    await app.place.script({ body: "<html>a proxy</html>" });
    expect(await send(app)).toMatchObject({ outcome: "unsure" });
  });

  test("of the HTTP server is read as any other", async () => {
    const app = makeApp();
    await app.place.script({ status: 503, body: "busy" }, { status: 500, body: "broken" });
    expect(await send(app)).toMatchObject({ outcome: "retry" });
    expect(await send(app)).toMatchObject({ outcome: "unsure" });
  });
});

describe("that the agent works", () => {
  const shown = async (target: Partial<Target>, account: Partial<SlackAccount> = {}) => {
    const app = makeApp(account);
    await slack.typing?.({ target: { ...CHANNEL, ...target } }, app.context);
    return (await app.place.calls("setStatus")).map(({ fields }) => fields);
  };

  test("is shown in the thread that the answer goes to", async () => {
    expect(await shown({ threadId: THREAD })).toEqual([
      { channel_id: "C0LABCHAN1", thread_ts: THREAD, status: "is thinking…" },
    ]);
    expect(await shown({ replyToId: THREAD }, { replyToMode: "all" })).toMatchObject([{ thread_ts: THREAD }]);
  });

  test("is not shown where no thread will take the status away again", async () => {
    expect(await shown({ replyToId: THREAD })).toEqual([]);
    expect(await shown({ threadId: THREAD, via: "U0LABADA01" })).toEqual([]);
  });
});

describe("a reaction", () => {
  const at = { ...CHANNEL, threadId: THREAD };
  const react = (app: TestApp, emoji: string, messageId = THREAD) =>
    slack.reactions?.react({ target: at, messageId, emoji }, app.context, signal());

  test("is added by its name, once, and taken away with all of the agent's", async () => {
    const app = makeApp();
    for (const emoji of ["👍", "👍", ":tada:"]) expect(await react(app, emoji)).toMatchObject({ outcome: "delivered" });
    expect((await app.place.calls("reactions.add")).map(({ fields }) => fields)).toMatchObject([
      { channel: "C0LABCHAN1", timestamp: THREAD, name: "thumbsup" },
      { name: "thumbsup" },
      { name: "tada" },
    ]);
    expect(await react(app, "")).toEqual({ outcome: "delivered" });
    const removed = (await app.place.calls("reactions.remove")).map(({ fields }) => fields.name);
    expect(removed).toEqual(["eyes_of_others", "thumbsup", "tada"]);
  });

  test("fails in words for an emoji without a name, and for what is no message", async () => {
    const app = makeApp();
    expect(await react(app, "🧿")).toMatchObject({ outcome: "failed", reason: expect.stringContaining(":tada:") });
    expect(await react(app, "👍", "13345.738.x")).toMatchObject({ outcome: "failed" });
    expect(await app.place.calls()).toEqual([]);
  });
});
