import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { InputKind } from "./input-kinds.ts";
import { mediaContent, mediaThatFits } from "./media-content.ts";
import type {
  AssistantMessage,
  AssistantPart,
  ImageRef,
  MediaRef,
  Message,
  ToolMessage,
  UserMessage,
} from "./message.ts";
import type { ModelRequest } from "./model.ts";
import { userText } from "./user-text.ts";

/** What the conversion needs to know about the wire format and the model. */
export interface PromptTarget {
  /** `provider/model` that reads it. */
  ref: string;
  /** What it takes besides text; undefined if unknown: then it is sent images, and nothing else. */
  input: readonly InputKind[] | undefined;
  /** Whether a tool result may contain images; if not, they follow the results in a message of their own. */
  imagesInResults: boolean;
  /** Whose reasoning is sent back: that of the whole history, or of the messages since the last user message. */
  reasoningScope: "history" | "turn";
}

/**
 * The transcript as the AI SDK's prompt, without the system prompt.
 *
 * Provider metadata (reasoning, signatures, item ids, native call ids) is sent back only to the model it came from, and
 * only from answers that ended well: other models cannot verify it and refuse the request.
 */
export async function toPrompt(request: ModelRequest, target: PromptTarget): Promise<LanguageModelV4Message[]> {
  const prompt: LanguageModelV4Message[] = [];
  const callIds = new Map<string, string>();
  const turnAt = target.reasoningScope === "turn" ? request.messages.findLastIndex(({ role }) => role === "user") : -1;
  const fitting = mediaThatFits(request.messages, target.input);
  let images: Content[] = [];
  const flush = () => {
    if (images.length > 0) prompt.push({ role: "user", content: images });
    images = [];
  };
  for (const [at, message] of request.messages.entries()) {
    if (message.role !== "tool") flush();
    switch (message.role) {
      case "user":
        prompt.push({ role: "user", content: await userContent(message, request, target, fitting) });
        break;
      case "assistant":
        prompt.push(...assistantMessage(message, target.ref, at > turnAt, callIds));
        break;
      case "tool": {
        const pictures = await imageContent(message.images ?? [], request, target);
        prompt.push(toolMessage(message, target.imagesInResults ? pictures : [], callIds));
        if (!target.imagesInResults && pictures.length > 0)
          images.push(text(`From the result of ${message.tool}:`), ...pictures);
      }
    }
  }
  flush();
  return prompt;
}

const SEES: readonly InputKind[] = ["image"];

/** The call ids in a transcript. */
export function usedCallIds(messages: Message[]): Set<string> {
  return new Set(
    messages
      .flatMap((message) => (message.role === "assistant" ? message.parts : []))
      .flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])),
  );
}

type Content = LanguageModelV4TextPart | LanguageModelV4FilePart;

async function userContent(
  message: UserMessage,
  request: ModelRequest,
  target: PromptTarget,
  fitting: ReadonlySet<MediaRef>,
): Promise<Content[]> {
  const images = await imageContent(message.images ?? [], request, target);
  const files = [...images, ...(await mediaContent(message.media ?? [], target.input, fitting, request))];
  const shown = userText(message);
  if (shown !== "") return [text(shown), ...files];
  return files.length > 0 ? files : [text("(an empty message)")];
}

async function imageContent(
  images: ImageRef[],
  request: ModelRequest,
  { input = SEES }: PromptTarget,
): Promise<Content[]> {
  if (!input.includes("image")) {
    const how = request.tools.some(({ name }) => name === "image") ? " Ask `image` about it." : "";
    return images.map(({ path }) => text(`[You see no images: ${path} is not shown.${how}]`));
  }
  return Promise.all(
    images.map(async ({ path, mediaType }): Promise<Content> => {
      const data = await request.loadFile(path);
      return data
        ? { type: "file", mediaType, data: { type: "data", data } }
        : text(`[The image ${path} is no longer there.]`);
    }),
  );
}

function assistantMessage(
  message: AssistantMessage,
  ref: string,
  withReasoning: boolean,
  callIds: Map<string, string>,
): LanguageModelV4Message[] {
  const native = message.model === ref && message.stop !== "error" && message.stop !== "aborted";
  // A model gets its own raw text back; without its tags it would stop writing them.
  const parts = message.parts.map((part) =>
    part.type === "text" && native && part.raw !== undefined ? { ...part, text: part.raw } : part,
  );
  // Providers refuse reasoning at the end of a message, and empty texts.
  const end = parts.findLastIndex((part) => part.type !== "reasoning") + 1;
  const content = parts
    .slice(0, end)
    .filter((part) => part.type !== "reasoning" || (native && withReasoning && !part.inline))
    .filter((part) => part.type !== "text" || part.text !== "")
    .map((part) => assistantPart(part, native, callIds));
  return content.length > 0 ? [{ role: "assistant", content }] : [];
}

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

function assistantPart(part: AssistantPart, native: boolean, callIds: Map<string, string>): AssistantContent {
  const options = native && part.meta ? { providerOptions: part.meta } : {};
  if (part.type !== "tool-call") return { type: part.type, text: part.text, ...options };
  const id = native ? part.callId : portable(part.callId);
  callIds.set(part.callId, id);
  return { type: "tool-call", toolCallId: id, toolName: part.tool, input: part.args, ...options };
}

function toolMessage(message: ToolMessage, images: Content[], callIds: Map<string, string>): LanguageModelV4Message {
  const shownText = message.text === "" && images.length === 0 ? "(no output)" : message.text;
  const output =
    images.length > 0
      ? { type: "content" as const, value: shownText === "" ? images : [text(shownText), ...images] }
      : { type: message.isError ? ("error-text" as const) : ("text" as const), value: shownText };
  const toolCallId = callIds.get(message.callId) ?? message.callId;
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: message.tool, output }] };
}

/** A call id in the characters that every provider accepts. */
function portable(callId: string): string {
  return callId.replace(/[^A-Za-z0-9_-]/g, "_");
}

function text(value: string): LanguageModelV4TextPart {
  return { type: "text", text: value };
}
