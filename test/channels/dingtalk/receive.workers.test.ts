import { describe, expect, test } from "vitest";
import type { InboundEvent, ReceiveResult } from "../../../src/channels/channel.ts";
import { dingtalk } from "../../../src/channels/dingtalk/dingtalk.ts";
import { frameSignature, openFrame, sealFrame } from "../../../src/channels/framed-cipher.ts";
import { AES_KEY, makeRobot, messageOf, type TestRobot } from "./test-robot.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

async function statusOf(robot: TestRobot, request: Request): Promise<number> {
  const result = await dingtalk.receive(request, robot.context);
  return result.kind === "refused" ? result.response.status : 200;
}

function only(result: ReceiveResult): InboundEvent {
  const [event, ...others] = result.kind === "events" ? result.events : [];
  if (event === undefined || others.length > 0) throw new Error(`expected one event, got ${JSON.stringify(result)}`);
  return event;
}

async function hear(robot: TestRobot, more: Record<string, unknown> = {}) {
  return dingtalk.receive(robot.signed(JSON.stringify(messageOf(more))), robot.context);
}

describe("a call of DingTalk's robot", () => {
  test("is taken within an hour, and refused with another key, a broken sign or none", async () => {
    const robot = makeRobot();
    const body = JSON.stringify(messageOf());
    const at = (timestamp: number) => statusOf(robot, robot.signed(body, { timestamp }));
    expect(await at(NOW - 59 * MINUTE)).toBe(200);
    expect(await at(NOW - 61 * MINUTE)).toBe(401);
    expect(await at(NOW + 61 * MINUTE)).toBe(401);
    expect(await statusOf(robot, robot.signed(body, { key: "other" }))).toBe(401);
    const { url, headers } = robot.signed(body);
    for (const sign of ["", "%2B%2F%3D", "AAAA"]) {
      const broken = new Headers({ timestamp: headers.get("timestamp") ?? "", sign });
      expect(await statusOf(robot, new Request(url, { method: "POST", headers: broken, body }))).toBe(401);
    }
  });

  test("is refused by the field that is not DingTalk's", async () => {
    const result = await hear(makeRobot(), { conversationId: 7 });
    if (result.kind !== "refused") throw new Error(result.kind);
    expect(result.response.status).toBe(400);
    expect(await result.response.text()).toContain("conversationId");
  });
});

describe("an event of DingTalk's subscription", () => {
  const call = async (
    robot: TestRobot,
    message: object,
    change: { token?: string; receiver?: string; at?: number } = {},
  ) => {
    const { token = robot.secrets.token, receiver = "ding1", at = NOW } = change;
    const encrypt = (await sealFrame(AES_KEY, { message: JSON.stringify(message), receiver })) ?? "";
    const msg_signature = await frameSignature([token, String(at), "n1", encrypt]);
    const query = new URLSearchParams({ msg_signature, timestamp: String(at), nonce: "n1" });
    const url = `https://isopod.example/channels/dingtalk/default/webhook?${query}`;
    return new Request(url, { method: "POST", body: JSON.stringify({ encrypt }) });
  };

  test("is answered with an encrypted and signed success, and brings no message", async () => {
    const robot = makeRobot();
    for (const EventType of ["check_url", "user_add_org"]) {
      const result = await dingtalk.receive(await call(robot, { EventType }), robot.context);
      if (result.kind !== "answered") throw new Error(result.kind);
      const answer = await result.response?.json<Record<string, string>>();
      const { encrypt = "", nonce = "", timeStamp = "", msg_signature } = answer ?? {};
      expect(await openFrame(AES_KEY, encrypt)).toEqual({ message: "success", receiver: "ding1" });
      expect(msg_signature).toBe(await frameSignature([robot.secrets.token, timeStamp, nonce, encrypt]));
    }
  });

  test("is refused with another token, for another app, when it is old, or while nothing is set", async () => {
    const robot = makeRobot();
    const event = { EventType: "check_url" };
    expect(await statusOf(robot, await call(robot, event, { token: "other" }))).toBe(401);
    expect(await statusOf(robot, await call(robot, event, { receiver: "ding2" }))).toBe(401);
    expect(await statusOf(robot, await call(robot, event, { at: NOW - 61 * MINUTE }))).toBe(401);
    const bare = makeRobot({}, { DINGTALK_TOKEN: undefined });
    expect(await statusOf(bare, await call(bare, event))).toBe(401);
  });
});

describe("a message of DingTalk", () => {
  test("is a person's, under the staff id, and answered at the address that came with it", async () => {
    const robot = makeRobot();
    const sessionWebhook = `${robot.url}/robot/sendBySession?session=s1`;
    expect(only(await hear(robot, { sessionWebhook, sessionWebhookExpiredTime: NOW + MINUTE }))).toEqual({
      kind: "message",
      dedupeId: "msgTEST+1==",
      messageId: "msgTEST+1==",
      text: "hello",
      sender: { id: "ada1", name: "Ada" },
      conversation: { kind: "direct", id: "cidTEST==" },
      mentioned: true,
      attachments: [],
      replyToken: { value: sessionWebhook, expiresAt: NOW + MINUTE },
      via: "ada1",
    });
  });

  test("is never answered at an address of another host, since nothing signs it, nor at one that has run out", async () => {
    const robot = makeRobot();
    for (const [sessionWebhook, sessionWebhookExpiredTime] of [
      ["https://evil.example/robot/sendBySession?session=s1", NOW + MINUTE],
      ["http://127.0.0.1.evil.example/robot", NOW + MINUTE],
      ["no address", NOW + MINUTE],
      [`${robot.url}/robot/sendBySession?session=s1`, NOW - MINUTE],
    ]) {
      expect(only(await hear(robot, { sessionWebhook, sessionWebhookExpiredTime }))).not.toHaveProperty("replyToken");
    }
  });

  test("in a group addresses the robot if DingTalk says so, and has the group's title", async () => {
    const robot = makeRobot();
    const group = { conversationType: "2", conversationTitle: "Team" };
    expect(only(await hear(robot, { ...group, isInAtList: true }))).toMatchObject({
      mentioned: true,
      conversation: { kind: "group", title: "Team" },
    });
    expect(only(await hear(robot, { ...group, isInAtList: false }))).toMatchObject({ mentioned: false });
    const atUsers = [{ dingtalkId: "$:LWCP_v1:$bot" }];
    expect(only(await hear(robot, { ...group, atUsers }))).toMatchObject({ mentioned: true });
    expect(only(await hear(robot, group))).toMatchObject({ mentioned: false });
  });

  test("of somebody outside of the company has the sender's id, and for another robot is passed over", async () => {
    const outside = only(await hear(makeRobot(), { senderStaffId: undefined }));
    expect(outside).toMatchObject({ sender: { id: "$:LWCP_v1:$ada" } });
    expect(outside).not.toHaveProperty("via");
    const robot = makeRobot({}, { DINGTALK_ROBOT_CODE: "robot1" });
    expect(await hear(robot, { robotCode: "robot2" })).toMatchObject({ kind: "answered" });
    expect(await hear(robot, { robotCode: "robot1" })).toMatchObject({ kind: "events" });
  });

  test("of every kind says what it is and brings its files", async () => {
    const robot = makeRobot();
    const richText = [{ text: "看" }, { type: "picture", downloadCode: "p1" }, { text: "和" }, { downloadCode: "p2" }];
    const kinds: [more: Record<string, unknown>, expected: object][] = [
      [
        { msgtype: "richText", content: { richText } },
        { text: "看和", attachments: [{}, { reference: { downloadCode: "p2" } }] },
      ],
      [
        { msgtype: "picture", content: { downloadCode: "p" } },
        { text: "", attachments: [{ mediaType: "image/jpeg" }] },
      ],
      [
        { msgtype: "audio", content: { downloadCode: "a", recognition: "开灯", duration: 1500 } },
        { text: "", attachments: [{ name: "voice-msgTEST1.amr", isVoice: true, seconds: 2, words: "开灯" }] },
      ],
      [
        { msgtype: "audio", content: { recognition: "开灯" } },
        { text: "开灯", attachments: [] },
      ],
      [
        { msgtype: "video", content: { downloadCode: "v", videoType: "mp4" } },
        { attachments: [{ name: "video-msgTEST1.mp4" }] },
      ],
      [
        { msgtype: "file", content: { downloadCode: "f", fileName: "报告.pdf" } },
        { attachments: [{ name: "报告.pdf" }] },
      ],
      [{ msgtype: "hologram", content: {} }, { text: "[message of the type hologram]" }],
      [
        { text: { content: "yes", repliedMsg: { msgId: "msg0", content: { text: "Shall I?" } } } },
        { text: "yes", replyToId: "msg0", quoted: { text: "Shall I?" } },
      ],
    ];
    for (const [more, expected] of kinds) expect(only(await hear(robot, more))).toMatchObject(expected);
    expect(await hear(robot, { text: { content: " " } })).toMatchObject({ kind: "answered" });
  });
});
