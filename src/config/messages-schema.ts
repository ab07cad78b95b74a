import { RE2JS, RE2JSException } from "re2js";
import { z } from "zod";
import { agentMayWrite, planned } from "./field-marks.ts";
import { tts } from "./media-schema.ts";

/** `identity`: how an agent presents itself to people. */
export const identity = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta(agentMayWrite("What people call it; groups that say it address the agent.")),
  theme: z
    .string()
    .max(200)
    .optional()
    .meta(agentMayWrite(planned("Its character in a few words."))),
  emoji: z
    .string()
    .max(16)
    .optional()
    .meta(agentMayWrite("Its emoji, with which it acknowledges messages where `messages.ackReaction` names none.")),
  avatar: z.string().optional().meta(planned("Its picture: a path in the workspace, or an address.")),
});

/** Whether a reply's text is sent, or only what the message tool sends. */
export const visibleReplies = z.enum(["automatic", "message_tool"]);

/** `groupChat`: how an agent takes part in group conversations. */
export const groupChat = z.strictObject({
  mentionPatterns: z
    .array(
      z
        .string()
        .min(1)
        .max(200)
        .refine(isPattern, "is no regular expression of RE2, which has neither look-around nor back-references"),
    )
    .optional()
    .describe("Regular expressions (RE2), in any case, that address the agent beside a platform's own mentions."),
  visibleReplies: visibleReplies
    .optional()
    .describe("What a group sees of a reply: its text, or only what the message tool sends."),
  historyLimit: z
    .number()
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe("Most messages since its last answer that come along when the agent is addressed; none where absent."),
});

/** `humanDelay`: pauses between the blocks of a long reply. */
export const humanDelay = z.strictObject({
  mode: z
    .enum(["off", "natural", "custom"])
    .default("off")
    .meta(agentMayWrite("No pauses, 0.8 to 2.5 seconds, or your own.")),
  minMs: z
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(800)
    .meta(agentMayWrite("`custom`: the shortest, in milliseconds.")),
  maxMs: z
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(2500)
    .meta(agentMayWrite("`custom`: the longest, in milliseconds.")),
});

function isPattern(text: string): boolean {
  try {
    mentionPattern(text);
    return true;
  } catch (error) {
    if (error instanceof RE2JSException) return false;
    throw error;
  }
}

const queueMode = z.enum(["steer", "followup", "collect", "interrupt"]);

const queue = z
  .strictObject({
    mode: queueMode.default("steer").describe("What a message does that arrives during a run."),
    byChannel: z.record(z.string(), queueMode).default({}).describe("The mode of one channel, by its id."),
    debounceMs: z
      .number()
      .int()
      .min(0)
      .max(60_000)
      .default(500)
      .describe("How long `collect` waits for more messages, in milliseconds."),
    cap: z.number().int().min(1).max(1000).default(20).describe("Most runs of one session that may wait."),
    drop: z
      .enum(["refuse", "summarize", "old", "new"])
      .default("refuse")
      .describe(
        "What happens above the cap. `refuse`: nothing is dropped; the API refuses more, and what channels bring waits and " +
          "is taken up together. Else what is dropped: the oldest after keeping a line of it, the oldest, or the newest.",
      ),
  })
  .prefault({})
  .describe("What happens to messages that arrive during a run.");

const debounceMs = z.number().int().min(0).max(30_000);

const inbound = z
  .strictObject({
    debounceMs: debounceMs
      .default(0)
      .describe(
        "How long an agent at rest waits for more of one sender before it begins, in milliseconds; 0 begins at once.",
      ),
    byChannel: z.record(z.string(), debounceMs).default({}).describe("The same for one channel, by its id."),
  })
  .prefault({})
  .describe("Messages that come in several parts.");

/** `messages`. */
export const messages = z
  .strictObject({
    queue,
    inbound,
    groupChat: groupChat.prefault({}).describe("How agents take part in group conversations."),
    visibleReplies: visibleReplies
      .default("automatic")
      .describe("What people see of a reply: its text, or only what the message tool sends; groups may differ."),
    ackReaction: z
      .string()
      .max(16)
      .default("")
      .meta(agentMayWrite("The emoji that acknowledges a message; none if empty.")),
    ackReactionScope: z
      .enum(["group-mentions", "group-all", "direct", "all", "off"])
      .default("group-mentions")
      .describe("Which messages are acknowledged."),
    removeAckAfterReply: z
      .boolean()
      .default(false)
      .meta(agentMayWrite(planned("Whether the emoji is removed after the reply."))),
    responsePrefix: z
      .string()
      .max(200)
      .optional()
      .describe("What every reply in a chat begins with; `auto` is the agent's name in brackets."),
    tts,
  })
  .prefault({})
  .describe("How incoming and outgoing messages are handled.");

/**
 * Compiles a pattern of mentions, case-insensitive. RE2 has no look-around and no back-references: strangers control
 * the text, and matching takes time linear in its length.
 * @throws RE2JSException on an invalid pattern
 */
export function mentionPattern(pattern: string): RE2JS {
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
}

/** `prompt`. */
export const prompt = z
  .strictObject({
    productName: z
      .string()
      .min(1)
      .max(64)
      .default("OpenClaw")
      .describe("The product name in the agent's identity line."),
    docsUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Where people read Isopod's documentation, such as https://<your address>/docs; agents pass it on."),
    sourceUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Where the source of this deployment is; agents read it where the documentation is not enough."),
    communityUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Where people help each other; agents pass it on."),
    skillsUrl: z
      .url({ protocol: /^https?$/ })
      .default("https://clawhub.ai")
      .describe("Where agents send people to look for skills."),
    personalFiles: z
      .enum(["owner", "direct", "always"])
      .default("owner")
      .describe(
        "Where the prompt shows USER.md and MEMORY.md: where an owner talks to the agent alone, in every direct conversation, or in groups, too.",
      ),
  })
  .prefault({})
  .describe("Names and addresses in the system prompt.");
