import { sms } from "../../../src/channels/sms/sms.ts";
import { channelContract, type PlatformBehaviour } from "../../contracts/channel.ts";
import type { ScriptedPlatformAnswer } from "../../fakes/platforms/fake-platform.ts";
import { TWILIO_NUMBER, TWILIO_SID, twilioError } from "../../fakes/platforms/sms.ts";
import { makeAccount, messageFields, signedForm, WEBHOOK } from "./test-account.ts";

const ANSWERS: Record<PlatformBehaviour, ScriptedPlatformAnswer> = {
  busy: { ...twilioError(429, 20429, "Too Many Requests"), headers: { "Retry-After": "7" } },
  refusing: twilioError(400, 21610, "Attempt to send to unsubscribed recipient"),
  silent: { hang: true },
  "cut after taking": { cut: "after" },
};

channelContract("sms", () => {
  const account = makeAccount();
  const { place, context } = account;
  return {
    channel: sms,
    context,
    minimalAccount: { accountSid: TWILIO_SID, from: TWILIO_NUMBER },
    target: account.target,
    secrets: account.secrets,
    maxPart: 1600,
    genuine: () => signedForm(messageFields()),
    async genuineWith(body) {
      if (!(body instanceof ReadableStream)) return signedForm(new TextDecoder().decode(await bytesOf(body)));
      return new Request(WEBHOOK, { method: "POST", body, duplex: "half" } as RequestInit);
    },
    forged: () => signedForm(messageFields(), { token: "another token" }),
    async withFile() {
      const url = `${place.url}/2010-04-01/Accounts/${TWILIO_SID}/Messages/MM1/Media/ME1`;
      const picture = messageFields({ NumMedia: "1", MediaUrl0: url, MediaContentType0: "image/jpeg" });
      return { request: await signedForm(picture), contents: "contents of ME1" };
    },
    withoutSecrets: () => ({ ...context, secret: () => undefined }),
    shown: (part) => part,
    behave: (behaviour) => place.script(ANSWERS[behaviour]),
    taken: async () => (await place.calls("/Messages.json")).map(({ fields }) => String(fields.Body)),
  };
});

async function bytesOf(body: BodyInit): Promise<ArrayBuffer> {
  return new Response(body).arrayBuffer();
}
