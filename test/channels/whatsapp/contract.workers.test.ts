import { whatsapp } from "../../../src/channels/whatsapp/whatsapp.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { graphError } from "../../fakes/platforms/whatsapp.ts";
import { shownStars } from "../shown-stars.ts";
import { makeNumber, messageOf, NUMBER_ID, notificationOf } from "./test-number.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: { ...graphError(400, 130429, "(#130429) Rate limit hit"), headers: { "Retry-After": "7" } },
  refusing: graphError(400, 131026, "(#131026) Message undeliverable"),
  silent: { hang: true },
  "cut after taking": { path: "messages", cut: "after" },
};

channelContract("whatsapp", () => {
  const number = makeNumber();
  const hello = JSON.stringify(notificationOf(messageOf({ type: "text", text: { body: "hello" } })));
  const picture = messageOf({ type: "image", image: { id: "4711", mime_type: "image/jpeg", sha256: "x" } });
  return {
    channel: whatsapp,
    context: number.context,
    minimalAccount: { phoneNumberId: NUMBER_ID },
    target: number.target,
    secrets: number.secrets,
    maxPart: 4096,
    genuine: () => number.signed(hello),
    genuineWith: (body) => number.signed(body),
    forged: () => number.signed(hello, "another secret"),
    methods: ["GET"],
    withFile: async () => ({
      request: await number.signed(JSON.stringify(notificationOf(picture))),
      contents: "contents of 4711",
    }),
    withoutSecrets: () => ({ ...number.context, secret: () => undefined }),
    shown: shownStars,
    behave: (behaviour) => number.place.script(ANSWERS[behaviour]),
    async taken() {
      const calls = await number.place.calls("messages");
      return calls.map(({ fields }) => String((fields.text as { body: string } | undefined)?.body ?? fields.type));
    },
  };
});
