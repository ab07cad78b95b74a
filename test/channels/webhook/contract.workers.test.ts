import { webhook } from "../../../src/channels/webhook/webhook.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { SERVICE_SECRET } from "../../fakes/platforms/webhook.ts";
import { makeService } from "./service.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: { status: 429, headers: { "Retry-After": "7" } },
  refusing: { status: 410, body: { error: "gone" } },
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("webhook", () => {
  const { place, context, target, request } = makeService();
  const hello = JSON.stringify({ type: "message", data: { text: "hello", sender: { id: "ada", name: "Ada" } } });
  const withFile = { text: "hello", attachments: [{ url: `${place.url}/file.txt` }] };
  return {
    channel: webhook,
    context,
    minimalAccount: {},
    target,
    secrets: [SERVICE_SECRET, SERVICE_SECRET.slice("whsec_".length)],
    maxPart: 30_000,
    genuine: () => request(hello),
    genuineWith: (body) => request(body),
    forged: () => request(hello, { secret: "whsec_YW5vdGhlciBzZWNyZXQgdGhhbiBvdXJz" }),
    withFile: async () => ({ request: await request(JSON.stringify(withFile)), contents: "the contents" }),
    withoutSecrets: () => ({ ...context, secret: () => undefined }),
    // The service shows Markdown.
    shown: (part) => part.replaceAll("\\*", "*"),
    behave: (behaviour) => place.script(ANSWERS[behaviour]),
    taken: async () => (await place.calls("replies")).map(({ body }) => JSON.parse(body).data.text),
  };
});
