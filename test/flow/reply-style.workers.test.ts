import { expect, test } from "vitest";
import { chatOf, hear, settled } from "./chats.ts";
import { script } from "./client.ts";
import { configure, sql } from "./session-lab.ts";

test("a reply begins with the configured prefix, once, and what is stored has none", async () => {
  const name = "style-prefix";
  await configure(name, (config) => ({ ...config, messages: { ...config.messages, responsePrefix: "auto" } }));
  await script(name, [{ text: "Good morning." }]);
  const chat = chatOf(301);
  expect(await settled(await hear(name, chat, "Hi"), chat)).toEqual(["[main] Good morning."]);
  const [row] = await sql<{ body: string }>(name, "SELECT body FROM messages ORDER BY seq DESC LIMIT 1");
  expect(row?.body).not.toContain("[main]");
});

test("with blocks the prefix is on the first alone, and the others wait as people do who type", async () => {
  const name = "style-pause";
  const humanDelay = { mode: "custom", minMs: 400, maxMs: 400 };
  await configure(name, (config) => {
    const { agents } = config;
    const defaults = { ...agents.defaults, humanDelay, blockStreamingChunk: { minChars: 20, maxChars: 60 } };
    return { ...config, agents: { ...agents, defaults }, messages: { ...config.messages, responsePrefix: "🤖" } };
  });
  const paragraphs = ["The first block of the reply.", "The second block of the reply.", "The third block of it."];
  await script(name, [{ text: paragraphs.join("\n\n") }]);
  const chat = chatOf(302, "blocks");
  const sent = await settled(await hear(name, chat, "Tell me"), chat);
  expect(sent).toEqual([`🤖 ${paragraphs[0]}`, paragraphs[1], paragraphs[2]]);
  const rows = await sql<{ asked_at: number; due_at: number }>(name, "SELECT asked_at, due_at FROM outbox ORDER BY id");
  expect(rows).toHaveLength(3);
  expect((rows[1]?.due_at ?? 0) - (rows[1]?.asked_at ?? 0)).toBeGreaterThanOrEqual(400);
});
