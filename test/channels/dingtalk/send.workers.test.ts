import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import type { Delivery, OutboundPart, Target } from "../../../src/channels/channel.ts";
import { dingtalk } from "../../../src/channels/dingtalk/dingtalk.ts";
import { makeRobot, type TestRobot } from "./test-robot.ts";

function send(robot: TestRobot, more: Partial<OutboundPart> = {}, target: Partial<Target> = {}): Promise<Delivery> {
  const part = { target: { ...robot.target, ...target }, text: "**hello**", deliveryId: "dlv_1", ...more };
  return dingtalk.send(part, robot.context, AbortSignal.timeout(2_000));
}

const addressOf = (robot: TestRobot, session = "s-123456") => `${robot.url}/robot/sendBySession?session=${session}`;

describe("a DingTalk reply", () => {
  test("goes to the address that came with the message, without a token of the app", async () => {
    const robot = makeRobot();
    expect(await send(robot, { token: addressOf(robot), text: "# Plan\n\nmore" })).toEqual({ outcome: "delivered" });
    const calls = await robot.calls();
    expect(calls.map(({ fields }) => fields)).toEqual([
      { msgtype: "markdown", markdown: { title: "Plan", text: "# Plan\n\nmore" } },
    ]);
  });

  test("goes out as the robot's message once the address is gone, in the same delivery", async () => {
    const robot = makeRobot();
    expect(await send(robot, { token: addressOf(robot, "gone") })).toEqual({
      outcome: "delivered",
      externalId: "query_1",
    });
    const [, , robots] = await robot.calls();
    expect(robots).toMatchObject({
      path: "v1.0/robot/groupMessages/send",
      fields: { robotCode: "ding1", openConversationId: "cidTEST==", msgKey: "sampleMarkdown" },
    });
  });

  test("goes to a person by the staff id, and to nobody who has none", async () => {
    const robot = makeRobot({}, { DINGTALK_ROBOT_CODE: "robot1" });
    await send(robot, {}, { kind: "direct", via: "ada1" });
    await send(robot, {}, { kind: "direct", conversationId: "bob2" });
    expect((await robot.calls("oToMessages")).map(({ fields }) => fields)).toMatchObject([
      { robotCode: "robot1", userIds: ["ada1"] },
      { robotCode: "robot1", userIds: ["bob2"] },
    ]);
    const stranger = await send(robot, {}, { kind: "direct" });
    expect(stranger).toMatchObject({ outcome: "failed", reason: expect.stringContaining("has to write") });
  });

  test("asks by links that answer, and in a group by what to type", async () => {
    const robot = makeRobot();
    const buttons = [[{ label: "Deny", says: "/approve a1 deny" }]];
    await send(robot, { buttons, token: addressOf(robot) }, { kind: "direct" });
    await send(robot, { buttons, token: addressOf(robot) });
    const texts = (await robot.calls("sendBySession")).map(({ fields }) => (fields.markdown as { text: string }).text);
    expect(texts[0]).toContain("[Deny](dtmd://dingtalkclient/sendMessage?content=%2Fapprove%20a1%20deny)");
    expect(texts[1]).toContain("Deny: `/approve a1 deny`");
  });

  test("of Chinese text has at most 20,000 bytes, also with answers below it", async () => {
    const robot = makeRobot();
    const parts = dingtalk.format("这是一句很长的话。".repeat(2000));
    expect(parts.length).toBeGreaterThan(2);
    for (const text of parts) {
      expect(await send(robot, { text, token: addressOf(robot) })).toMatchObject({ outcome: "delivered" });
    }
  });
});

describe("a request to DingTalk", () => {
  test("carries the app's token, which is asked for once and renewed once", async () => {
    const robot = makeRobot();
    await send(robot);
    await send(robot);
    expect(await robot.calls("accessToken")).toHaveLength(1);
    const refused = {
      path: "groupMessages",
      status: 400,
      body: { code: "InvalidAuthentication", message: "不合法的access_token" },
    };
    await robot.script(refused);
    expect(await send(robot)).toMatchObject({ outcome: "delivered" });
    await robot.script(refused, refused);
    expect(await send(robot)).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("DINGTALK_CLIENT_SECRET"),
    });
  });

  test("is surely not sent while no token can be had", async () => {
    const robot = makeRobot();
    await robot.script({ path: "accessToken", cut: "after" });
    expect(await send(robot)).toMatchObject({ outcome: "retry" });
  });

  test("never shows the address that came with a message, nor secrets", async () => {
    const robot = makeRobot();
    robot.context.fetch = (input) => Promise.reject(new Error(`cannot reach ${input}`));
    expect(JSON.stringify(await send(robot, { token: addressOf(robot) }))).not.toContain("s-123456");
    const other = makeRobot();
    await other.script({
      path: "accessToken",
      status: 400,
      body: { code: "x", message: `no ${other.secrets.clientSecret}` },
    });
    expect(JSON.stringify(await send(other))).not.toContain(other.secrets.clientSecret);
  });
});

describe("a refusal by DingTalk", () => {
  test("says what to do", async () => {
    const denied = { accessdenieddetail: { requiredScopes: ["qyapi_robot_sendmsg"] } };
    const word = (code: string, more: object = {}) => ({ status: 400, body: { code, message: "said so", ...more } });
    const reasons: [answer: object, reason: RegExp][] = [
      [word("invalidParameter.robotCode.notExist"), /DINGTALK_ROBOT_CODE/],
      [word("Forbidden.AccessDenied.AccessTokenPermissionDenied", denied), /lacks the permission qyapi_robot_sendmsg/],
      [word("invalidParameter.conversationId"), /add it in the group/],
      [word("something.new"), /said so \(something\.new\)/],
      [{ body: { processQueryKey: "q", invalidStaffIdList: ["ada1"] } }, /check the id/],
    ];
    for (const [answer, reason] of reasons) {
      const robot = makeRobot();
      await robot.script({ path: "groupMessages", ...answer });
      expect(await send(robot)).toEqual({ outcome: "failed", reason: expect.stringMatching(reason) });
    }
    for (const [errcode, reason] of [
      [310000, /security settings/],
      [40035, /incomplete/],
      [400013, /dissolved/],
      [460101, /too long/],
    ] as const) {
      const robot = makeRobot();
      await robot.script({ path: "sendBySession", body: { errcode, errmsg: "said so" } });
      expect(await send(robot, { token: addressOf(robot) })).toEqual({
        outcome: "failed",
        reason: expect.stringMatching(reason),
      });
    }
  });

  test("for its rate is retried, in whichever form it comes", async () => {
    for (const answer of [
      { status: 403, body: { code: "Forbidden.AccessDenied.QpsLimitForApi", message: "slow down" } },
      { body: { processQueryKey: "q", flowControlledStaffIdList: ["ada1"] } },
    ]) {
      const robot = makeRobot();
      await robot.script({ path: "groupMessages", ...answer });
      expect(await send(robot)).toMatchObject({ outcome: "retry" });
    }
    const robot = makeRobot();
    await robot.script({ path: "sendBySession", body: { errcode: 130101, errmsg: "send too fast" } });
    expect(await send(robot, { token: addressOf(robot) })).toMatchObject({ outcome: "retry", afterMs: 60_000 });
  });
});

describe("a file for DingTalk", () => {
  const sendFile = async (robot: TestRobot, name: string, mediaType: string) => {
    const bytes = Uint8Array.from(new TextEncoder().encode("contents"));
    const file = { target: robot.target, deliveryId: "dlv_3", name, bytes, asVoice: false, mediaType };
    const delivery = await dingtalk.sendFile?.(file, robot.context, AbortSignal.timeout(2_000));
    const [sent] = await robot.calls("groupMessages");
    return { delivery, key: sent?.fields.msgKey, param: JSON.parse(String(sent?.fields.msgParam)) };
  };

  test("is sent as a picture or a file of a kind that robots may send", async () => {
    expect(await sendFile(makeRobot(), "a.png", "image/png")).toMatchObject({
      delivery: { outcome: "delivered" },
      key: "sampleImageMsg",
      param: { photoURL: "@a.png" },
    });
    expect(await sendFile(makeRobot(), "a.pdf", "application/pdf")).toMatchObject({
      key: "sampleFile",
      param: { mediaId: "@a.pdf", fileName: "a.pdf", fileType: "pdf" },
    });
  });

  test("of another kind goes in a ZIP", async () => {
    const robot = makeRobot();
    const uploads: Uint8Array[] = [];
    const { fetch } = robot.context;
    robot.context.fetch = async (input, init) => {
      const media = init?.body instanceof FormData ? init.body.get("media") : undefined;
      if (media instanceof File) uploads.push(new Uint8Array(await media.arrayBuffer()));
      return fetch(input, init);
    };
    expect(await sendFile(robot, "reply.md", "text/markdown")).toMatchObject({
      delivery: { outcome: "delivered" },
      param: { fileName: "reply.md.zip", fileType: "zip" },
    });
    const [zipped = new Uint8Array()] = uploads;
    expect(new TextDecoder().decode(unzipSync(zipped)["reply.md"])).toBe("contents");
  });
});

describe("a look at a DingTalk account", () => {
  const look = async (robot: TestRobot) =>
    (await dingtalk.check?.(robot.context, "https://isopod.test/x", AbortSignal.timeout(2_000))) ?? [];

  test("says whether DingTalk knows the app, and what is wrong with the keys", async () => {
    expect(await look(makeRobot())).toEqual([{ status: "ok", message: "DingTalk knows the app." }]);
    const unknown = makeRobot();
    const body = { code: "invalidClientIdOrSecret", message: "无效的clientId或者clientSecret" };
    await unknown.script({ path: "accessToken", status: 400, body });
    expect(await look(unknown)).toMatchObject([
      { status: "fail", message: expect.stringContaining("DINGTALK_CLIENT_ID") },
    ]);
    const [, malformed] = await look(makeRobot({}, { DINGTALK_AES_KEY: "short" }));
    expect(malformed).toMatchObject({ status: "fail", message: expect.stringContaining("DINGTALK_AES_KEY") });
  });
});
