import { z } from "zod";
import { groupChat, visibleReplies } from "./conversation-schema.ts";
import { agentMayWrite, planned } from "./field-marks.ts";
import { secretRef } from "./secret-ref.ts";

const queueMode = z.enum(["steer", "followup", "collect", "interrupt"]);

const queue = z
  .strictObject({
    mode: queueMode.default("steer").describe("What a message does that comes while a run is at work."),
    byChannel: z.record(z.string(), queueMode).default({}).describe("The mode of one channel, by its id."),
    debounceMs: z.number().int().min(0).max(60_000).default(500).describe("How long `collect` waits for quiet."),
    cap: z.number().int().min(1).max(1000).default(20).describe("Most runs of one session that may wait."),
    drop: z
      .enum(["summarize", "old", "new"])
      .default("summarize")
      .describe("What gives way past the cap: the oldest after a line of it was kept, the oldest, or the new one."),
  })
  .prefault({})
  .describe("What becomes of messages that come while the agent is at work.");

const tts = z
  .strictObject({
    auto: z
      .enum(["off", "always", "inbound", "tagged"])
      .default("off")
      .meta(planned("Which replies are spoken: none, all, those to spoken messages, or those that are marked.")),
    hint: z
      .string()
      .max(1000)
      .optional()
      .describe("What the prompt says of writing for a voice; nothing where absent."),
  })
  .prefault({})
  .describe("Replies that are read aloud.");

/** `messages`. */
export const messages = z
  .strictObject({
    queue,
    groupChat: groupChat.prefault({}).describe("How agents take part where several people talk."),
    visibleReplies: visibleReplies
      .default("automatic")
      .describe("What of a reply people see: its text, or only what the message tool sends; groups may differ."),
    ackReaction: z
      .string()
      .max(16)
      .default("")
      .meta(agentMayWrite("The emoji that says a message has come; none if empty.")),
    ackReactionScope: z
      .enum(["group-mentions", "group-all", "direct", "all", "off"])
      .default("group-mentions")
      .describe("Which messages get it."),
    removeAckAfterReply: z
      .boolean()
      .default(false)
      .meta(agentMayWrite(planned("Whether it goes when the reply has come."))),
    responsePrefix: z
      .string()
      .max(200)
      .optional()
      .meta(planned("What every reply begins with; `auto` is the agent's name in brackets.")),
    tts,
  })
  .prefault({})
  .describe("What happens to messages on their way to the agent and back.");

/** `commands`. */
export const commands = z
  .strictObject({
    ownerAllowFrom: z.array(z.string()).default([]).describe("Owners as `channel:senderId`, or an id on any channel."),
    ownerDisplay: z.enum(["raw", "hash"]).default("hash").describe("How the prompt shows an owner's id."),
    ownerDisplaySecret: secretRef.optional().describe("Key of the hash of owners' ids."),
  })
  .prefault({})
  .describe("Who may give commands.");
