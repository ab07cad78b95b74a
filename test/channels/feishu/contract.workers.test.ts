import { feishu } from "../../../src/channels/feishu/feishu.ts";
import { feishuMarkup } from "../../../src/channels/markup/markdown-platforms.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { cardText, makeApp, received } from "./test-app.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: {
    status: 400,
    headers: { "x-ogw-ratelimit-reset": "7" },
    body: { code: 99991400, msg: "request trigger frequency limit" },
  },
  refusing: { status: 400, body: { code: 230002, msg: "The bot can not be outside the group." } },
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("feishu", () => {
  const app = makeApp();
  const { encryptKey, appSecret, verificationToken } = app.secrets;
  return {
    channel: feishu,
    context: app.context,
    minimalAccount: {},
    target: app.target,
    secrets: [appSecret, encryptKey, verificationToken],
    maxPart: 30 * 1024,
    genuine: () => app.event(received(app)),
    genuineWith: (body) => app.signed(body),
    forged: () => app.event(received(app), { encryptKey: `${encryptKey}x` }),
    withFile: async () => {
      const content = JSON.stringify({ file_key: "file_9", file_name: "notes.txt" });
      return { request: app.event(received(app, { message_type: "file", content })), contents: "contents of file_9" };
    },
    withoutSecrets: () => ({ ...app.context, secret: () => undefined }),
    shown: feishuMarkup.plain,
    behave: (behaviour) => app.script({ path: "messages", ...ANSWERS[behaviour] }),
    taken: async () => (await app.calls("im/v1/messages?")).map(({ fields }) => cardText(fields)),
  };
});
