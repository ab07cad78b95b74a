import { googlechat } from "../../../src/channels/googlechat/googlechat.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { makeChatApp } from "./test-app.ts";

const FORBIDDEN = {
  status: 403,
  body: { error: { code: 403, message: "Not a member.", status: "PERMISSION_DENIED" } },
};
const BUSY = { error: { code: 429, message: "Quota exceeded.", status: "RESOURCE_EXHAUSTED" } };

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer[]> = {
  busy: [{ path: "/messages", status: 429, headers: { "Retry-After": "7" }, body: BUSY }],
  refusing: [
    { path: "/messages", ...FORBIDDEN },
    { path: "/media/", ...FORBIDDEN },
  ],
  silent: [{ path: "/messages", hang: true }],
  "cut after taking": [{ path: "/messages", cut: "after" }],
};

channelContract("googlechat", async () => {
  const app = await makeChatApp();
  return {
    channel: googlechat,
    context: app.context,
    minimalAccount: {},
    target: app.target,
    secrets: app.secrets,
    maxPart: 31_000,
    genuine: () => app.call(app.event()),
    genuineWith: (body) => app.call(body),
    forged: () => app.call(app.event(), { by: "stranger" }),
    withFile: async () => {
      const file = {
        contentName: "a.txt",
        contentType: "text/plain",
        attachmentDataRef: { resourceName: "AATT/x+y=" },
      };
      const event = app.event({ message: app.message({ attachment: [file] }) });
      return { request: await app.call(event), contents: "a file" };
    },
    withoutSecrets: () => ({ ...app.context, secret: () => undefined }),
    shown: (part) => part.replace(/\u2060/g, ""),
    behave: (behaviour) => app.place.script(...ANSWERS[behaviour]),
    taken: async () => (await app.created()).map(({ message }) => message.text),
  };
});
