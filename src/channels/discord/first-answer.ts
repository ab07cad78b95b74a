import type { InboundOutcome } from "../channel.ts";
import type { DiscordContext } from "./account.ts";
import type { ReadInteraction } from "./interaction.ts";

/** The kinds of answers to an interaction. */
const PONG = 1;
const MESSAGE = 4;
/** Shows that the bot is thinking, until the first message takes that place. */
const THINKING = 5;
/** Leaves the message with the button as it is. */
const PRESS_TAKEN = 6;
const CHOICES = 8;

/** Only the person who asked sees the message. */
const EPHEMERAL = 64;

/**
 * The answer that Discord waits for, for three seconds.
 * @param outcome what has become of the message that the interaction is
 */
export function firstAnswer(
  read: Exclude<ReadInteraction, { kind: "invalid" }>,
  outcome: InboundOutcome | undefined,
  { losesTokens }: Pick<DiscordContext, "losesTokens">,
): object {
  switch (read.kind) {
    case "ping":
      return { type: PONG };
    case "autocomplete":
      return { type: CHOICES, data: { choices: [] } };
    case "ignored":
      return toPersonAlone("There is nothing for me in this.");
    case "message":
      if (outcome?.kind === "ignored") return toPersonAlone(inWords(outcome.reason));
      if (read.isPress) return { type: PRESS_TAKEN };
      // Without its token nothing could take the place of "thinking".
      return losesTokens ? toPersonAlone("I answer below.") : { type: THINKING };
  }
}

function toPersonAlone(content: string): object {
  return { type: MESSAGE, data: { content, flags: EPHEMERAL, allowed_mentions: { parse: [] } } };
}

/** What the person is told of the reasons why no session has taken a message up. */
const REASONS: Readonly<Record<string, string>> = {
  "the sender is not paired":
    "I do not know you yet. I have sent a code to this chat: ask my owner to approve it, then write again.",
  "the sender is not in allowFrom": "I only answer people whom my owner has named, and you are not one of them.",
  "direct messages are off": "I do not answer direct messages.",
  "the group is not in groups": "My owner has not switched me on in this channel.",
  "groups are off": "I only answer direct messages.",
  "a bot wrote it": "I do not answer bots.",
  "the sender writes more than security.senderRate allows": "You write faster than I may read. Wait a minute.",
  "too many messages wait in its session": "Too many messages wait here. Try again when I have answered.",
};

function inWords(reason: string): string {
  return REASONS[reason] ?? `I did not take this up: ${reason}`;
}
