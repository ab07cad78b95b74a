import { line } from "../../../src/channels/line/line.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { lineError } from "../../fakes/platforms/line.ts";
import { callOf, eventOf, makeAccount, signedCall, textEvent } from "./test-account.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: {
    ...lineError(429, "The API rate limit has been exceeded. Try again later."),
    headers: { "Retry-After": "7" },
  },
  refusing: lineError(400, "Failed to send messages"),
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("line", () => {
  const account = makeAccount();
  const hello = callOf(textEvent("hello"));
  return {
    channel: line,
    context: account.context,
    minimalAccount: {},
    target: account.target,
    secrets: account.secrets,
    maxPart: 5000,
    sendsOnce: true,
    genuine: () => signedCall(hello),
    genuineWith: (body) => signedCall(body),
    forged: () => signedCall(hello, "another secret"),
    withFile: async () => ({
      request: await signedCall(
        callOf(eventOf({ message: { id: "4711", type: "image", contentProvider: { type: "line" } } })),
      ),
      contents: "contents of 4711",
    }),
    withoutSecrets: () => ({ ...account.context, secret: () => undefined }),
    shown: (part) => part,
    behave: (behaviour) => account.place.script(ANSWERS[behaviour]),
    async taken() {
      const calls = await account.place.calls("/message/push");
      return calls.map(({ fields }) => (fields.messages as { text: string }[])[0]?.text ?? "");
    },
  };
});
