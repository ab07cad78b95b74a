import { RE2JSException } from "re2js";
import { z } from "zod";
import { agentMayWrite, planned } from "./field-marks.ts";
import { mentionPattern } from "./mentions.ts";

/** `identity`: who an agent is for people. */
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
    .meta(agentMayWrite(planned("What it is like, in a few words."))),
  emoji: z
    .string()
    .max(16)
    .optional()
    .meta(agentMayWrite(planned("Its emoji, with which it acknowledges messages."))),
  avatar: z.string().optional().meta(planned("Its picture: a path in the workspace, or an address.")),
});

/** Whether a reply's text is sent, or only what the message tool sends. */
export const visibleReplies = z.enum(["automatic", "message_tool"]);

/** `groupChat`: how an agent takes part where several people talk. */
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
    .describe("What of a reply is seen there: its text, or only what the message tool sends."),
  historyLimit: z
    .number()
    .int()
    .min(0)
    .optional()
    .meta(planned("Most messages, said before it was addressed, that it is shown; 0 means none.")),
});

/** `humanDelay`: pauses between the blocks of a long reply. */
export const humanDelay = z.strictObject({
  mode: z
    .enum(["off", "natural", "custom"])
    .default("off")
    .meta(agentMayWrite(planned("No pauses, usual ones, or your own."))),
  minMs: z
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(800)
    .meta(agentMayWrite(planned("`custom`: the shortest, in milliseconds."))),
  maxMs: z
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(2500)
    .meta(agentMayWrite(planned("`custom`: the longest, in milliseconds."))),
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
