import { inject } from "vitest";
import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import { type EmailAccount, emailAccount } from "../../../src/channels/email/account.ts";
import type { ReplyContext } from "../../../src/channels/email/reply-context.ts";
import { type PlatformPlace, platformPlace } from "../platform-lab.ts";

/** A mailbox of the agent whose mail goes to a place of its own. */
export interface TestMailbox {
  place: PlatformPlace;
  context: ChannelContext<EmailAccount>;
  target: Target;
}

const ANSWERED: ReplyContext = { from: "agent@agent.example", subject: "A question", thread: ["m1@example.org"] };

export function makeMailbox(account: Partial<Record<keyof EmailAccount, unknown>> = {}): TestMailbox {
  const place = platformPlace("email", inject("platforms"));
  return {
    place,
    context: {
      accountId: "default",
      account: emailAccount.parse({ addresses: ["agent@agent.example"], ...account }),
      secret: () => undefined,
      fetch,
      now: Date.now,
      sendEmail: sendTo(place.url),
    },
    target: {
      channel: "email",
      accountId: "default",
      kind: "direct",
      conversationId: "ada@example.org",
      threadId: "m1@example.org",
      replyToId: "m1@example.org",
      replyContext: { ...ANSWERED },
    },
  };
}

/** What stands for the binding of Email Service: a call to its server, whose refusals are thrown as the binding throws them. */
export function sendTo(url: string): (message: EmailMessageBuilder) => Promise<EmailSendResult> {
  return async (message) => {
    const response = await fetch(`${url}/send`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(message),
    });
    const body = await response.json<{ messageId: string; code?: string }>();
    if (!response.ok) throw Object.assign(new Error(`The email was not sent (${body.code}).`), { code: body.code });
    return { messageId: body.messageId };
  };
}
