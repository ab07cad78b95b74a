import { slack } from "../../../src/channels/slack/slack.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { shownMrkdwn } from "./shown-mrkdwn.ts";
import { delivered, makeApp, message, SIGNING_SECRET, signed } from "./test-app.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer[]> = {
  busy: [{ status: 429, headers: { "Retry-After": "7" }, body: { ok: false, error: "ratelimited" } }],
  refusing: [{ path: "files-pri", status: 404, body: "gone" }, { body: { ok: false, error: "channel_not_found" } }],
  silent: [{ hang: true }],
  "cut after taking": ["chat.postMessage", "files.completeUploadExternal", "auth.test"].map((path) => ({
    path,
    cut: "after",
  })),
};

channelContract("slack", () => {
  const app = makeApp();
  const hello = message("hello");
  return {
    channel: slack,
    context: app.context,
    minimalAccount: {},
    target: app.target,
    messageId: "1799999999.000100",
    secrets: [app.token, SIGNING_SECRET],
    maxPart: 39_000,
    genuine: () => delivered(hello),
    genuineWith: (body) => signed(body),
    forged: () => signed(JSON.stringify(hello), { secret: `${SIGNING_SECRET}x` }),
    async withFile() {
      const file = { id: "F0LAB", name: "a.txt", mimetype: "text/plain", size: 17 };
      const files = [{ ...file, url_private_download: `${app.place.url}/files-pri/a.txt` }];
      const request = await delivered(message("look", { subtype: "file_share", files }));
      return { request, contents: "contents of a.txt" };
    },
    withoutSecrets: () => ({ ...app.context, secret: () => undefined }),
    shown: shownMrkdwn,
    behave: (behaviour) => app.place.script(...ANSWERS[behaviour]),
    taken: async () => (await app.place.calls("chat.postMessage")).map(({ fields }) => String(fields.text)),
  };
});
