import type { AssistantPart, Directives, TextPart } from "../models/message.ts";
import { createThoughtSplitter, type Piece, type ThoughtOptions } from "./reasoning-tags.ts";
import { createTagSplitter } from "./reply-tags.ts";

/**
 * Makes of what a model writes what it says: thoughts in tags are reasoning, and tags that ask for something are taken
 * out. Everybody who reads a reply, as it comes or later, reads it so.
 */
export interface ReplyParser {
  /** What one more delta says, in order; what may be half a tag is held back. */
  push(delta: string): Piece[];
  /** What was held back, once there is no more to come. */
  end(): Piece[];
  /** What was asked for so far. */
  readonly directives: Directives;
}

export function createReplyParser(options: ThoughtOptions = {}): ReplyParser {
  const thoughts = createThoughtSplitter(options);
  const tags = createTagSplitter();

  function withoutTags(piece: Piece): Piece[] {
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

/** The parts of a finished reply as they are said, and what it asks for; where its text has no tags, as they were. */
export function parseReply(
  parts: readonly AssistantPart[],
  options: ThoughtOptions = {},
): { parts: AssistantPart[]; directives: Directives } {
  const hearing = createReplyParser(options);
  const last = parts.findLastIndex(({ type }) => type === "text");
  const said = parts.flatMap((part, at) => {
    if (part.type !== "text") return [part];
    const pieces = hearing.push(part.text);
    return saidOf(part, at === last ? [...pieces, ...hearing.end()] : pieces);
  });
  return { parts: said, directives: hearing.directives };
}

/** What became of a text. The first of its parts keeps how it was written, which is what its model reads of it again. */
function saidOf(part: TextPart, pieces: readonly Piece[]): AssistantPart[] {
  const [first, ...others] = joined(pieces);
  if (first === undefined) return [{ ...part, text: "", raw: part.text }];
  if (others.length === 0 && first.type === "text" && first.text === part.text) return [part];
  const texts: AssistantPart[] = [first, ...others].map((piece) =>
    piece.type === "text" ? { ...piece, raw: "" } : { ...piece, inline: true },
  );
  const at = texts.findIndex(({ type }) => type === "text");
  if (at === -1) return [...texts, { ...part, text: "", raw: part.text }];
  return texts.with(at, { ...part, text: textOf(texts[at]), raw: part.text });
}

function textOf(part: AssistantPart | undefined): string {
  return part?.type === "text" ? part.text : "";
}

function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last?.type === piece.type) last.text += piece.text;
    else found.push({ ...piece });
  }
  return found;
}
