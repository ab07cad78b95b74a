import { env } from "cloudflare:test";
import type { Target } from "../../src/channels/channel.ts";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { parseSessionKey } from "../../src/config/session-key.ts";
import type { RunInput } from "../../src/session-store/run-input.ts";
import { finished, waitFor } from "./client.ts";
import { session } from "./session-lab.ts";

const BOT = "7000000001:flow";

/** A chat of a session of a test, by the account that it is in; `blocks` sends its replies in blocks. */
export function chatOf(id: number, accountId: "default" | "blocks" = "default"): Target {
  return { channel: "telegram", accountId, kind: "direct", conversationId: String(id) };
}

/** Hands a message from a chat to a session, as the webhook does, for a model scenario. Gives its run. */
export async function hear(
  name: string,
  target: Target,
  text: string,
  more: Partial<RunInput> = {},
  { sessionKey } = session(name),
): Promise<string> {
  const stub = env.SESSIONS.getByName(await objectNameOf(sessionKey));
  const runId = `run_${crypto.randomUUID().replaceAll("-", "").slice(0, 26).padEnd(26, "0")}${stub.name}`;
  const sender = { id: target.conversationId, owner: true };
  const input = { text, sender, model: `fake/${name}`, timeoutSeconds: 60, ...more };
  await stub.accept({ sessionKey, agentId: parseSessionKey(sessionKey).agentId, runId, input, target });
  return runId;
}

/** Waits for a run and until everything that it said has been sent; gives what the chat was sent, as HTML. */
export async function settled(runId: string, target: Target): Promise<string[]> {
  await finished(runId);
  await waitFor(async () => {
    const { deliveries } = (await finished(runId)) as unknown as { deliveries: { status: string }[] };
    return deliveries.every(({ status }) => status !== "pending" && status !== "sending");
  });
  return sentTo(target);
}

/** What a chat was sent, as HTML. */
export async function sentTo(chat: Target): Promise<string[]> {
  return (await callsTo(chat)).filter(({ method }) => method === "sendMessage").map(({ args }) => args.text);
}

/** What the bot was made to do in a chat, but for showing that it types. */
export async function callsTo({ conversationId }: Target): Promise<{ method: string; args: any }[]> {
  const calls = await (await fetch(`${env.TEST_BOT_API}/control/${BOT}/calls`)).json<
    { method: string; args: { chat_id: number } }[]
  >();
  return calls.filter(({ method, args }) => method !== "sendChatAction" && String(args.chat_id) === conversationId);
}
