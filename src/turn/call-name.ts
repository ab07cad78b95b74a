import { base32 } from "../lib/ids.ts";
import { type Message, toolCalls } from "../models/message.ts";
import type { ActiveRun } from "./active-run.ts";

/**
 * A name for the effect of a tool call, the same whenever the call is repeated: 26 characters, 128 bits of the SHA-256
 * of the session key, the reply with the call, and the call's id, which some providers reuse in later replies.
 */
export async function callName(run: ActiveRun, sessionKey: string, callId: string): Promise<string> {
  const reply = run.journal.context().findLast((message) => makes(message, callId));
  const text = JSON.stringify([sessionKey, reply?.id ?? run.row.id, callId]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base32(new Uint8Array(digest, 0, 16));
}

function makes(message: Message, callId: string): boolean {
  return message.role === "assistant" && toolCalls(message).some((call) => call.callId === callId);
}
