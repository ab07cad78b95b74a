import { isJsonObject, type Json, type JsonObject } from "../../lib/json.ts";
import type { AttachedFile } from "./files.ts";

/** One turn of a conversation as a caller of OpenAI's API sends it. */
export interface Turn {
  /** `tool` is the result of a tool of the caller's own. */
  role: "user" | "assistant" | "tool";
  name?: string;
  text: string;
  files: AttachedFile[];
  /** The calls of the caller's tools in an answer. */
  calls?: SentCall[];
  /** The call that this is the result of. */
  callId?: string;
}

/** A call of a client's tool in a conversation that the client sends. */
export interface SentCall {
  callId: string;
  tool: string;
  args: JsonObject;
}

/** A call as the protocols write it; what is no JSON object becomes a field of one. */
export function sentCall(callId: string, tool: string, argumentsText: string): SentCall {
  return { callId, tool, args: parsedObject(argumentsText) ?? { arguments: argumentsText } };
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
