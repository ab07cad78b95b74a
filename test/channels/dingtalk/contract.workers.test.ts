import { dingtalk } from "../../../src/channels/dingtalk/dingtalk.ts";
import { dingtalkMarkup } from "../../../src/channels/markup/markdown-platforms.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { AES_KEY, makeRobot, messageOf, wordsOf } from "./test-robot.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: { status: 429, headers: { "Retry-After": "7" }, body: "too many requests" },
  refusing: { status: 400, body: { code: "resource.not.found", message: "robot 不存在" } },
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("dingtalk", () => {
  const robot = makeRobot();
  const { clientSecret, token } = robot.secrets;
  const body = JSON.stringify(messageOf());
  return {
    channel: dingtalk,
    context: robot.context,
    minimalAccount: {},
    target: robot.target,
    secrets: [clientSecret, token, AES_KEY],
    maxPart: 20_000,
    genuine: () => robot.signed(body),
    genuineWith: (other) => robot.signed(other),
    forged: () => robot.signed(body, { key: `${clientSecret}x` }),
    withFile: async () => {
      const content = { downloadCode: "code_9", fileName: "a.txt" };
      return {
        request: robot.signed(JSON.stringify(messageOf({ msgtype: "file", content }))),
        contents: "contents of code_9",
      };
    },
    withoutSecrets: () => ({ ...robot.context, secret: () => undefined }),
    shown: dingtalkMarkup.plain,
    behave: (behaviour) => robot.script({ path: "robot", ...ANSWERS[behaviour] }),
    taken: async () => (await robot.calls("robot/")).map(({ fields }) => wordsOf(fields)),
  };
});
