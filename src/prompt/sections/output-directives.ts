import type { OutputDirective, StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** What a reply can carry beside its text. */
export const outputDirectives: Section<StableInput> = {
  name: "output-directives",
  modes: ["full"],
  render(input) {
    if (input.outputDirectives.length === 0) return undefined;
    return lines(
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
