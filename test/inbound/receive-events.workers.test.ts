import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import type { InboundMessage } from "../../src/channels/channel.ts";
import { approvePairing, listPairings } from "../../src/channels/pairing.ts";
import { receiveEvents } from "../../src/inbound/receive-events.ts";
import { createServices } from "../../src/services/create-services.ts";
import { knowConfiguration } from "../../src/services/current-config.ts";
import { env, historyOf, waitFor } from "../flow/client.ts";
import { forgetListings } from "../flow/outside.ts";

const SENDER = "4711";

/** Hands a message to the pipeline as a door without HTTP does, and waits for the work that it leaves. */
async function receive(text: string, messageId: string, more: Partial<InboundMessage> = {}) {
  await knowConfiguration(env, Date.now());
  const context = createExecutionContext();
  const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
  const services = createServices(env, waitUntil);
  const message: InboundMessage = {
    kind: "message",
    messageId,
    dedupeId: messageId,
    conversation: { kind: "direct", id: SENDER },
    sender: { id: SENDER },
    text,
    mentioned: true,
    attachments: [],
    ...more,
  };
  const deps = { services, database: env.DB, env, waitUntil };
  const [outcome] = await receiveEvents([message], services.channel("telegram", "default"), deps);
  await waitOnExecutionContext(context);
  return outcome;
}

async function commandsInSession(): Promise<unknown[]> {
  const { messages } = await historyOf("agent:main:main");
  return messages.filter(
    ({ role, sender, text }: any) => role === "user" && sender?.id === SENDER && text === "/status",
  );
}

test("a message from a door without HTTP passes pairing, and a redelivery of it is one run", async () => {
  expect(await receive("Hello", "1")).toEqual({ kind: "ignored", reason: "the sender is not paired" });
  const pairing = (await listPairings(env.DB)).find(({ id }) => id.endsWith(`:${SENDER}`));
  await approvePairing(env.DB, pairing?.code ?? "", true, Date.now());

  const outcomes = await Promise.all([receive("/status", "2"), receive("/status", "2")]);
  expect(outcomes).toEqual([{ kind: "accepted" }, { kind: "accepted" }]);
  await waitFor(async () => (await commandsInSession()).length > 0);
  expect(await commandsInSession()).toHaveLength(1);
});

describe("files of people who are not owners", () => {
  const STRANGER = { conversation: { kind: "direct", id: "4712" }, sender: { id: "4712", name: "Eve" } } as const;
  const file = (name: string, bytes: number) => ({
    name,
    mediaType: "text/plain",
    bytes: new TextEncoder().encode("A".repeat(bytes)),
  });

  async function filesOf(messageId: string) {
    const prefix = `agents/main/workspace/inbox/telegram-4712-${messageId}-`;
    return (await env.FILES.list({ prefix, include: ["customMetadata"] })).objects;
  }

  /** What the agent is told of a message. */
  async function told(messageId: string, attachments: InboundMessage["attachments"]): Promise<string> {
    await receive(`Message ${messageId}`, messageId, { ...STRANGER, attachments });
    let text = "";
    await waitFor(async () => {
      const { messages } = await historyOf("agent:main:telegram:direct:4712").catch(() => ({ messages: [] }));
      text =
        messages.map((message: any) => message.text ?? "").find((one) => one.includes(`Message ${messageId}`)) ?? "";
      return text !== "";
    });
    return text;
  }

  beforeAll(async () => {
    await receive("Hello", "1", STRANGER);
    const pairing = (await listPairings(env.DB)).find(({ id }) => id.endsWith(":4712"));
    await approvePairing(env.DB, pairing?.code ?? "", false, Date.now());
  });

  test("are labelled with who sent them, and one that is too large is not kept", async () => {
    const text = await told("20", [file("small.txt", 10), file("large.txt", 2 * 1024 * 1024 + 1)]);
    expect(text).toContain("large.txt is over 2097152 bytes and was not kept");
    const [small, ...others] = await filesOf("20");
    expect(others).toEqual([]);
    expect(small?.key).toContain("small.txt");
    expect(small?.customMetadata?.labels).toBe("stranger:telegram:4712");
  });

  test("are kept up to a hundred for each conversation, and the agent is told of what was left out", async () => {
    for (let n = 0; n < 100; n++) {
      await env.FILES.put(`agents/main/workspace/inbox/telegram-4712-old-${n}.txt`, "x", {
        customMetadata: { labels: "stranger:telegram:4712" },
      });
    }
    forgetListings();
    expect(await told("21", [file("more.txt", 10)])).toContain("more.txt was not kept: people who are not owners");
    expect(await filesOf("21")).toEqual([]);
  });
});
