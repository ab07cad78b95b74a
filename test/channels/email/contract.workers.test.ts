import { email } from "../../../src/channels/email/email.ts";
import { htmlToText } from "../../../src/channels/email/html-text.ts";
import { formatEmail } from "../../../src/channels/markup/email.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { makeMailbox } from "./mailbox.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: { status: 429, body: { code: "E_RATE_LIMIT_EXCEEDED" } },
  refusing: { status: 400, body: { code: "E_RECIPIENT_SUPPRESSED" } },
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("email", () => {
  const { place, context, target } = makeMailbox();
  const { sendEmail: _, ...unbound } = context;
  return {
    channel: email,
    context,
    minimalAccount: {},
    target,
    secrets: [],
    maxPart: 30_000,
    withoutSecrets: () => unbound,
    shown: (part) => htmlToText(formatEmail(part).html),
    behave: (behaviour) => place.script(ANSWERS[behaviour]),
    busyMs: 60_000,
    written: (part) => formatEmail(part).text,
    taken: async () => (await place.calls("send")).map(({ fields }) => String(fields.text)),
  };
});
