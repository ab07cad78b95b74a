import { expect, test } from "vitest";
import { readBody } from "../../../src/channels/webhook/body.ts";
import type { Json } from "../../../src/lib/json.ts";

function messageOf(body: Json) {
  const read = readBody(body, "msg_1", "default");
  if (read.kind === "invalid") throw new Error(read.problem);
  return read.message;
}

function problemOf(body: Json): string {
  const read = readBody(body, "msg_1", "default");
  return read.kind === "invalid" ? read.problem : "none";
}

test("an event and the bare message are the same message", () => {
  const said = {
    text: "Is it open?",
    sender: { id: "ada", name: "Ada" },
    thread: "t1",
    attachments: [{ url: "https://files.example/a/plan%20b.pdf?x=1" }, { url: "https://files.example/", name: "n" }],
  };
  expect(messageOf({ type: "message", timestamp: "2026-01-01T00:00:00Z", data: said })).toEqual(messageOf(said));
  expect(messageOf(said)).toEqual({
    kind: "message",
    dedupeId: "msg_1",
    messageId: "msg_1",
    text: "Is it open?",
    sender: { id: "ada", name: "Ada" },
    conversation: { kind: "direct", id: "ada", threadId: "t1" },
    mentioned: true,
    attachments: [
      { name: "plan%20b.pdf", reference: { url: "https://files.example/a/plan%20b.pdf?x=1" } },
      { name: "n", reference: { url: "https://files.example/" } },
    ],
  });
});

test("a conversation of several senders is a group, and one's own is direct", () => {
  const placed = (more: object) => {
    const { sender, conversation } = messageOf({ text: "hi", ...more });
    return [sender.id, conversation.kind, conversation.id];
  };
  expect(placed({})).toEqual(["default", "direct", "default"]);
  expect(placed({ sender: "ada" })).toEqual(["ada", "direct", "ada"]);
  expect(placed({ conversation: "ticket-7" })).toEqual(["ticket-7", "direct", "ticket-7"]);
  expect(placed({ conversation: "ticket-7", sender: "ada" })).toEqual(["ada", "group", "ticket-7"]);
});

test("any other object is passed on as its text, up to a size", () => {
  expect(messageOf({ event: "deployed", data: { ok: true } }).text).toBe(
    JSON.stringify({ event: "deployed", data: { ok: true } }, null, 2),
  );
  const large = messageOf({ log: "x".repeat(100_000) }).text;
  expect(large.length).toBeLessThan(33_000);
  expect(large).toMatch(/more characters\]$/);
});

test("what cannot be a message is refused by its field", () => {
  for (const body of [[], null, "hello", 5, {}] as Json[]) expect(problemOf(body)).toContain("no JSON object");
  expect(problemOf({ text: " " })).toContain("text");
  expect(problemOf({ text: "hi", sender: { name: "Ada" } })).toContain("sender");
  expect(problemOf({ text: "hi", thread: "a\nb" })).toContain("thread");
  expect(problemOf({ text: "hi", attachments: [{ url: "file:///etc/passwd" }] })).toContain("attachments");
  // Such a conversation would be taken for the address of a job's webhook.
  expect(problemOf({ text: "hi", conversation: "https://evil.example/" })).toContain("conversation");
});
