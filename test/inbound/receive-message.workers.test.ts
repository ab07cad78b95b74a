import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, test } from "vitest";
import type { InboundMessage } from "../../src/channels/channel.ts";
import { approvePairing, listPairings } from "../../src/channels/pairing.ts";
import { receiveMessage } from "../../src/inbound/receive-message.ts";
import { createServices } from "../../src/services/create-services.ts";
import { knowConfiguration } from "../../src/services/current-config.ts";
import { env, historyOf, waitFor } from "../flow/client.ts";

const SENDER = "4711";

/** Hands a message to the pipeline as a door without HTTP does, and waits for the work that it leaves. */
async function receive(text: string, messageId: string) {
  await knowConfiguration(env, Date.now());
  const context = createExecutionContext();
  const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
  const services = createServices(env, waitUntil);
  const message: InboundMessage = {
    messageId,
    dedupeId: messageId,
    conversation: { kind: "direct", id: SENDER },
    sender: { id: SENDER },
    text,
    mentioned: true,
    attachments: [],
  };
  const deps = { services, database: env.DB, env, waitUntil };
  const outcome = await receiveMessage(message, services.channel("telegram", "default"), deps);
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
