import { msteams } from "../../../src/channels/msteams/msteams.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { shownMarkdown } from "../shown-markdown.ts";
import { makeTeamsBot, PASSWORD } from "./test-bot.ts";

const BLOCKED = { error: { code: "MessageWritesBlocked", message: "Bot is blocked by the user" } };

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer[]> = {
  busy: [{ path: "activities", status: 429, headers: { "Retry-After": "7" }, body: { error: { code: "Throttled" } } }],
  refusing: [
    { path: "activities", status: 403, body: BLOCKED },
    { path: "attachments", status: 403, body: BLOCKED },
  ],
  silent: [{ path: "activities", hang: true }],
  "cut after taking": [{ path: "activities", cut: "after" }],
};

channelContract("msteams", async () => {
  const bot = await makeTeamsBot();
  const hello = bot.activity();
  return {
    channel: msteams,
    context: bot.context,
    minimalAccount: {},
    target: bot.target,
    secrets: [PASSWORD, "bearer-1"],
    maxPart: 40_000,
    genuine: () => bot.call(hello),
    genuineWith: (body) => bot.call(body),
    forged: () => bot.call(hello, { by: "stranger" }),
    withFile: async () => {
      const contentUrl = `${bot.place.url}/v3/attachments/0-1/views/original`;
      const attachments = [{ contentType: "image/png", contentUrl }];
      return { request: await bot.call(bot.activity({ attachments })), contents: "a picture" };
    },
    withoutSecrets: () => ({ ...bot.context, secret: () => undefined }),
    shown: shownMarkdown,
    behave: (behaviour) => bot.place.script(...ANSWERS[behaviour]),
    taken: async () => (await bot.posted()).map(({ activity }) => activity.text),
  };
});
