import { expect, test } from "vitest";
import { isJobWebhook, jobWebhookTarget } from "../../src/session-store/job-webhook.ts";

test("a job's address is told apart from the channel of signed webhooks, also in rows of before that channel", () => {
  expect(isJobWebhook(jobWebhookTarget("https://example.com/hook"))).toBe(true);
  expect(isJobWebhook({ channel: "webhook", conversationId: "https://example.com/hook" })).toBe(true);
  expect(isJobWebhook({ channel: "webhook", conversationId: "ticket-7" })).toBe(false);
  expect(isJobWebhook({ channel: "telegram", conversationId: "https://example.com" })).toBe(false);
});
