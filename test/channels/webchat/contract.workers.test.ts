import { visitorToken } from "../../../src/channels/webchat/visitor-token.ts";
import { webchat } from "../../../src/channels/webchat/webchat.ts";
import { channelContract } from "../../contracts/channel.ts";
import { makePage, ORIGIN, testKey } from "./page.ts";

channelContract("webchat", () => {
  const { context, visitor, request } = makePage();
  const hello = JSON.stringify({ id: "message-1", text: "hello" });
  const { dataKey: _, ...withoutSecrets } = context;
  return {
    channel: webchat,
    context,
    minimalAccount: {},
    target: { channel: "webchat", accountId: "default", kind: "direct", conversationId: visitor.id },
    secrets: [],
    maxPart: 30_000,
    genuine: () => request(hello),
    genuineWith: (body) => request(body),
    forged: async () =>
      request(hello, { token: await visitorToken(visitor, ORIGIN, { ...context, dataKey: testKey("x") }) }),
    withoutSecrets: () => withoutSecrets,
    // The chat box shows Markdown.
    shown: (part) => part.replaceAll("\\*", "*"),
  };
});
