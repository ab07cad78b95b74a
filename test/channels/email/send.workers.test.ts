import { expect, test } from "vitest";
import type { ChannelContext, Target } from "../../../src/channels/channel.ts";
import type { EmailAccount } from "../../../src/channels/email/account.ts";
import { email } from "../../../src/channels/email/email.ts";
import { makeMailbox } from "./mailbox.ts";

const signal = new AbortController().signal;

async function sent(target: Target, context: ChannelContext<EmailAccount>, text = "**Yes** & no") {
  return email.send({ target, text, deliveryId: "dlv_1" }, context, signal);
}

test("an answer is in the thread of the mail that it answers, from the address that was written to", async () => {
  const { place, context, target } = makeMailbox({ name: "Ada's agent", addresses: ["first@agent.example"] });
  expect(await sent(target, context)).toMatchObject({ outcome: "delivered", externalId: "<1@sent.example>" });
  const [mail] = await place.calls("send");
  expect(mail?.fields).toEqual({
    from: { name: "Ada's agent", email: "agent@agent.example" },
    to: "ada@example.org",
    subject: "Re: A question",
    headers: {
      "Auto-Submitted": "auto-replied",
      "In-Reply-To": "<m1@example.org>",
      References: "<m1@example.org>",
    },
    text: "Yes & no",
    html: "<p><strong>Yes</strong> &amp; no</p>\n",
  });
});

test("Re: is put before a subject once, and a long thread keeps its first and its last mails", async () => {
  const { place, context, target } = makeMailbox();
  const thread = Array.from({ length: 20 }, (_, n) => `${n}${"x".repeat(230)}@example.org`);
  const replyContext = { from: "agent@agent.example", subject: "RE: A question", thread };
  expect(await sent({ ...target, replyContext }, context)).toMatchObject({ outcome: "delivered" });
  const fields = (await place.calls("send"))[0]?.fields as { subject: string; headers: Record<string, string> };
  expect(fields.subject).toBe("RE: A question");
  const references = fields.headers.References?.split(" ");
  expect([references?.[0], references?.at(-1)]).toEqual([`<${thread[0]}>`, `<${thread[19]}>`]);
});

test("a mail that answers none has a subject of its first line, and says that a program wrote it", async () => {
  const { place, context, target } = makeMailbox();
  const { replyContext: _, threadId: __, ...first } = target;
  expect(await sent(first, context, "\n## The **build** failed\n\nDetails")).toMatchObject({ outcome: "delivered" });
  expect((await place.calls("send"))[0]?.fields).toMatchObject({
    from: "agent@agent.example",
    subject: "The build failed",
    headers: { "Auto-Submitted": "auto-generated" },
  });
  const nameless = makeMailbox({ addresses: [] });
  expect(await sent(first, nameless.context)).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("channels.email.accounts.default.addresses"),
  });
});

test("the HTML of an answer loads nothing, runs nothing and shows markup as text", async () => {
  const { place, context, target } = makeMailbox();
  const text = "![x](https://evil.example/pixel) <img src=x> [a](javascript:alert(1)) [b](https://b.example/?q=1&r=2)";
  await sent(target, context, text);
  const { html } = (await place.calls("send"))[0]!.fields as { html: string };
  expect(html).not.toMatch(/<img|href="javascript/i);
  expect(html).toContain('<a href="https://b.example/?q=1&amp;r=2">b</a>');
});

test("a file is an attachment", async () => {
  const { place, context, target } = makeMailbox();
  const file = { name: "报告.pdf", mediaType: "application/pdf", bytes: new Uint8Array([1, 2, 3]), asVoice: false };
  expect(await email.sendFile?.({ target, deliveryId: "dlv_2", ...file }, context, signal)).toMatchObject({
    outcome: "delivered",
  });
  expect((await place.calls("send"))[0]?.fields).toMatchObject({
    subject: "Re: A question",
    attachments: [{ filename: "报告.pdf", type: "application/pdf", disposition: "attachment", content: "AQID" }],
  });
});

test.each([
  ["E_SENDER_NOT_VERIFIED", "failed", "onboard its domain"],
  ["E_RECIPIENT_NOT_ALLOWED", "failed", "verify it as a destination address"],
  ["E_RECIPIENT_SUPPRESSED", "failed", "suppressions"],
  ["E_CONTENT_TOO_LARGE", "failed", "too large"],
  ["E_DELIVERY_FAILED", "failed", "did not take the mail"],
  ["E_HEADER_NOT_ALLOWED", "failed", "E_HEADER_NOT_ALLOWED"],
  ["E_DAILY_LIMIT_EXCEEDED", "retry", "limit"],
  ["E_INTERNAL_SERVER_ERROR", "unsure", "E_INTERNAL_SERVER_ERROR"],
])("%s is %s, in words that say what to do", async (code, outcome, words) => {
  const { place, context, target } = makeMailbox();
  await place.script({ status: 400, body: { code } });
  expect(await sent(target, context)).toMatchObject({ outcome, reason: expect.stringContaining(words) });
});

test("a binding that gives no codes is understood by its words", async () => {
  const { context, target } = makeMailbox();
  const refusing = { ...context, sendEmail: () => Promise.reject(new Error("email to ada@example.org not allowed")) };
  expect(await sent(target, refusing)).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("verify it"),
  });
});
