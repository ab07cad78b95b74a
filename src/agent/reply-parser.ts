import type { AssistantPart, Directives, TextPart } from "../models/message.ts";
import { createReasoningSplitter, type ReasoningOptions, type ReplyPiece } from "./reasoning-tags.ts";
import { createTagSplitter } from "./reply-tags.ts";

/**
 * Parses a model's text: tagged reasoning becomes reasoning, and directive tags are removed. Both streamed and finished
 * replies pass through it.
 */
export interface ReplyParser {
  /** The pieces of one more delta, in order; a possible partial tag is held back. */
  push(delta: string): ReplyPiece[];
  /** The text held back, at the end. */
  end(): ReplyPiece[];
  /** The directives so far. */
  readonly directives: Directives;
}

export function createReplyParser(options: ReasoningOptions = {}): ReplyParser {
  const thoughts = createReasoningSplitter(options);
  const tags = createTagSplitter();

  function withoutTags(piece: ReplyPiece): ReplyPiece[] {
    const text = piece.type === "text" ? tags.push(piece.text) : piece.text;
    return text === "" ? [] : [{ type: piece.type, text }];
  }

  return {
    directives: tags.directives,
    push: (delta) => thoughts.push(delta).flatMap(withoutTags),
    end() {
      const pieces = thoughts.end().flatMap(withoutTags);
      const rest = tags.end();
      return rest === "" ? pieces : [...pieces, { type: "text", text: rest }];
    },
  };
}

/** The parsed parts and the directives of a finished reply; a text without tags stays unchanged. */
export function parseReply(
  parts: readonly AssistantPart[],
  options: ReasoningOptions = {},
): { parts: AssistantPart[]; directives: Directives } {
  const parser = createReplyParser(options);
  const last = parts.findLastIndex(({ type }) => type === "text");
  const parsed = parts.flatMap((part, at) => {
    if (part.type !== "text") return [part];
    const pieces = parser.push(part.text);
    return parsedParts(part, at === last ? [...pieces, ...parser.end()] : pieces);
  });
  return { parts: parsed, directives: parser.directives };
}

/** The parts that a text was split into. The first text part keeps the raw text, which is sent back to the model. */
function parsedParts(part: TextPart, pieces: readonly ReplyPiece[]): AssistantPart[] {
  const [first, ...others] = joinPieces(pieces);
  if (first === undefined) return [{ ...part, text: "", raw: part.text }];
  if (others.length === 0 && first.type === "text" && first.text === part.text) return [part];
  const texts: AssistantPart[] = [first, ...others].map((piece) =>
    piece.type === "text" ? { ...piece, raw: "" } : { ...piece, inline: true },
  );
  const at = texts.findIndex(({ type }) => type === "text");
  if (at === -1) return [...texts, { ...part, text: "", raw: part.text }];
  return texts.with(at, { ...part, text: partText(texts[at]), raw: part.text });
}

function partText(part: AssistantPart | undefined): string {
  return part?.type === "text" ? part.text : "";
}

function joinPieces(pieces: readonly ReplyPiece[]): ReplyPiece[] {
  const found: ReplyPiece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last?.type === piece.type) last.text += piece.text;
    else found.push({ ...piece });
  }
  return found;
}
