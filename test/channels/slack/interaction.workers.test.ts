import { describe, expect, test } from "vitest";
import type { InboundMessage, ReceiveResult } from "../../../src/channels/channel.ts";
import { slack } from "../../../src/channels/slack/slack.ts";
import { form, interaction, makeApp, NOW_SECONDS } from "./test-app.ts";

const COMMAND = {
  ...{ token: "legacy", team_id: "T0LABTEAM1", team_domain: "lab", channel_id: "C0LABCHAN1", channel_name: "lab" },
  ...{ user_id: "U0LABADA01", user_name: "ada", command: "/isopod", text: "", trigger_id: "13345.738.8088930838d8" },
  ...{ response_url: "https://hooks.slack.com/commands/T0LABTEAM1/1/x", api_app_id: "A0ISOPOD" },
};

function events(received: ReceiveResult): Extract<ReceiveResult, { kind: "events" }> & { message: InboundMessage } {
  if (received.kind !== "events") throw new Error(JSON.stringify(received));
  const [message] = received.events;
  if (message?.kind !== "message") throw new Error("no message");
  return { ...received, message };
}

const command = async (more: object, account = {}) =>
  events(await slack.receive(await form({ ...COMMAND, ...more }), makeApp(account).context));

describe("a slash command", () => {
  test("is the words behind the app's own command, and any other command is a text", async () => {
    const said = async (name: string, text: string, account = {}) =>
      (await command({ command: name, text }, account)).message.text;
    expect(await said("/isopod", " what is up? ")).toBe("what is up?");
    expect(await said("/isopod", "/status")).toBe("/status");
    expect(await said("/isopod", "")).toBe("/help");
    expect(await said("/isopod", "tell <@U0LABBOB01|bob> &amp; <#C0LABCHAN1|lab>")).toBe("tell @bob & #lab");
    expect(await said("/weather", "94070")).toBe("/weather 94070");
    expect(await said("/weather", "")).toBe("/weather");
    expect(await said("/ada", "hi", { slashCommand: "/ada" })).toBe("hi");
  });

  test("is addressed, by its author, under an id of its own", async () => {
    expect((await command({ text: "hi" })).message).toMatchObject({
      dedupeId: COMMAND.trigger_id,
      sender: { id: "U0LABADA01", name: "ada" },
      conversation: { kind: "channel", id: "C0LABCHAN1", spaceId: "T0LABTEAM1" },
      mentioned: true,
    });
  });

  test("is answered where only its author sees it: for half an hour at its own address, then in a DM", async () => {
    const { message } = await command({ text: "hi" });
    expect(message.via).toBe("U0LABADA01");
    expect(message.replyToken).toEqual({ value: COMMAND.response_url, expiresAt: (NOW_SECONDS + 1800) * 1000 });
    const abroad = await command({ response_url: "https://hooks.slack.com.evil.example/x" });
    expect(abroad.message.replyToken).toBeUndefined();
  });

  test("shows nothing once it is taken up, and otherwise its author the reason", async () => {
    const { answer } = await command({ text: "hi" });
    const taken = answer?.([{ kind: "accepted" }]);
    expect([taken?.status, await taken?.text()]).toEqual([200, ""]);
    const refused = answer?.([{ kind: "ignored", reason: "the group is not in groups" }]);
    expect(await refused?.json()).toEqual({
      response_type: "ephemeral",
      text: "This was not taken up: the group is not in groups.",
    });
  });
});

const PRESS = {
  ...{ type: "block_actions", user: { id: "U0LABADA01", username: "ada" }, team: { id: "T0LABTEAM1" } },
  ...{ channel: { id: "C0LABCHAN1", name: "lab" }, response_url: "https://hooks.slack.com/actions/T0LABTEAM1/1/x" },
  container: { type: "message", message_ts: "1799999999.000100", channel_id: "C0LABCHAN1", is_ephemeral: false },
};
const BUTTON = { type: "button", action_id: "says-0-0", value: "/approve a1 allow-once", action_ts: "1799999999.5" };

const press = async (more: object) =>
  slack.receive(await interaction({ ...PRESS, actions: [BUTTON], ...more }), makeApp().context);

describe("a pressed button", () => {
  test("says its value, as the one who pressed it, in the conversation of the question", async () => {
    const { message, answer } = events(await press({}));
    expect(message).toEqual({
      kind: "message",
      dedupeId: "C0LABCHAN1:1799999999.000100:1799999999.5:U0LABADA01",
      text: "/approve a1 allow-once",
      sender: { id: "U0LABADA01", name: "ada" },
      conversation: { kind: "channel", id: "C0LABCHAN1", spaceId: "T0LABTEAM1" },
      mentioned: true,
      attachments: [],
      messageId: "1799999999.000100",
    });
    expect(await answer?.([{ kind: "accepted" }]).text()).toBe("");
  });

  test("is in the thread of its message, which names itself once it has replies", async () => {
    const within = (thread_ts: string) => ({ container: { ...PRESS.container, thread_ts } });
    const inThread = events(await press(within("1799999990.000100")));
    expect(inThread.message.conversation.threadId).toBe("1799999990.000100");
    expect(events(await press(within("1799999999.000100"))).message.conversation.threadId).toBeUndefined();
  });

  test("below a message that only one member sees is answered to that member alone", async () => {
    const { message } = events(await press({ container: { ...PRESS.container, is_ephemeral: true } }));
    expect(message).toMatchObject({ via: "U0LABADA01", replyToken: { value: PRESS.response_url } });
  });

  test.each([
    ["a menu", [{ type: "static_select", selected_option: { value: "x" } }]],
    ["a link", [{ ...BUTTON, value: undefined }]],
    ["nothing", []],
  ])("that is %s says nothing", async (_, actions) => {
    expect(await press({ actions })).toMatchObject({ kind: "answered", reason: expect.stringContaining("nothing") });
  });

  test("that is not below a message says nothing", async () => {
    expect(await press({ channel: undefined, container: { type: "view", view_id: "V1" } })).toMatchObject({
      kind: "answered",
    });
  });
});
