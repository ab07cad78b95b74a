import { hasTool, type OutputDirective, type StableInput } from "../input.ts";
import { joinLines, type Section } from "../section.ts";

/** The directives that a reply may contain. */
export const outputDirectives: Section<StableInput> = {
  name: "output-directives",
  modes: ["full"],
  render(input) {
    if (input.outputDirectives.length === 0) return undefined;
    return joinLines(
      "## Assistant Output Directives",
      "Write these in your reply; they take effect where the channel can, and are removed before people see it.",
      ...ORDER.filter((directive) => input.outputDirectives.includes(directive)).map((directive) => SYNTAX[directive]),
    );
  },
};

const ORDER: readonly OutputDirective[] = ["reply-tags", "media", "voice-notes"];

const SYNTAX: Record<OutputDirective, string> = {
  "reply-tags":
    "- [[reply_to_current]] at the very start makes it a native reply to the message that you answer. [[reply_to:<id>]] replies to another one; only with an id that you were given.",
  media: "- MEDIA:<workspace path> on a line of its own attaches a file.",
  "voice-notes": "- [[audio_as_voice]] sends an attached audio file as a voice note.",
};

/** How to write a reply that is read aloud. */
export const voice: Section = {
  name: "voice",
  modes: ["full"],
  render: (input) => (input.voiceHint === undefined ? undefined : `## Voice (TTS)\n${input.voiceHint}`),
};

/** How often to react with an emoji, if the channel has reactions. */
export const reactions: Section = {
  name: "reactions",
  modes: ["full"],
  render(input) {
    if (input.reactions === undefined || input.channel === undefined) return undefined;
    const how = hasTool(input, "message") ? ": `message` with `react`" : "";
    return `## Reactions\nReactions are on for ${input.channel.name} (${input.reactions})${how}. ${GUIDANCE[input.reactions]}`;
  },
};

const GUIDANCE = {
  minimal:
    "React only when it counts: to acknowledge an important request or to answer real feeling; at most once in five to ten exchanges, never to routine messages or your own.",
  extensive:
    "React whenever it feels natural: to acknowledge, agree, enjoy or show feeling, also in place of a reply that would say nothing more.",
};

/** How to send no reply, in groups and rooms whose replies are delivered automatically. */
export const silentReplies: Section = {
  name: "silent-replies",
  modes: ["full"],
  render(input) {
    const { channel } = input;
    return channel === undefined || channel.kind === "direct" || channel.replies !== "automatic"
      ? undefined
      : SILENT_REPLIES;
  },
};

const SILENT_REPLIES = `## Silent Replies
When there is nothing for you to say, reply with exactly NO_REPLY.
It must be the whole reply: never beside other text, never in quotes, Markdown or code.`;

/** The tags around reasoning, for models whose wire format has no field for it. */
export const reasoningFormat: Section = {
  name: "reasoning-format",
  modes: ["full", "minimal"],
  render: (input) => (input.reasoningTags ? REASONING_FORMAT : undefined),
};

const REASONING_FORMAT = `## Reasoning Format
Put all reasoning inside <think>…</think> and nothing of it elsewhere. Then put the reply inside <final>…</final>: the user sees only what is in <final>.`;
