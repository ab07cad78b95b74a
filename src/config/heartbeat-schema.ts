import { z } from "zod";
import { duration, timeOfDay, zone } from "./duration-schema.ts";
import { planned } from "./field-marks.ts";

/** `heartbeat`: an agent that looks by itself whether something needs attention. */
export const heartbeat = z.strictObject({
  every: duration.default("30m").meta(planned("How often it beats; 0m means never.")),
  prompt: z
    .string()
    .min(1)
    .max(4000)
    .default(
      "Read HEARTBEAT.md if it exists and follow it strictly. Do not repeat old tasks. If nothing needs attention, reply HEARTBEAT_OK.",
    )
    .meta(planned("What the agent is asked at each beat.")),
  model: z.string().optional().meta(planned("`provider/model` that answers beats; the agent's own where absent.")),
  target: z
    .string()
    .min(1)
    .default("owner")
    .meta(planned("Who is told: `owner`, `last` for the conversation used last, `none`, or a channel's id.")),
  to: z.string().optional().meta(planned("The conversation on that channel, by its id there.")),
  accountId: z.string().optional().meta(planned("The channel's account that tells it.")),
  session: z.string().default("main").meta(planned("The session in which it beats: `main`, or a session's key.")),
  activeHours: z
    .strictObject({
      start: timeOfDay.default("00:00").meta(planned("From when on, as HH:MM.")),
      end: timeOfDay.default("24:00").meta(planned("Until when, as HH:MM; may be past midnight.")),
      timezone: zone.optional().meta(planned("IANA time zone of both; the user's where absent.")),
    })
    .optional()
    .meta(planned("When it may beat; at all hours where absent.")),
  lightContext: z.boolean().default(false).meta(planned("Whether a beat's prompt shows HEARTBEAT.md alone.")),
  isolatedSession: z.boolean().default(false).meta(planned("Whether each beat begins a session of its own.")),
  ackMaxChars: z
    .number()
    .int()
    .min(0)
    .default(300)
    .meta(planned("Longest rest of a reply with HEARTBEAT_OK that is not delivered.")),
  includeReasoning: z.boolean().default(false).meta(planned("Whether the model's reasoning is delivered, too.")),
  includeSystemPromptSection: z
    .boolean()
    .default(true)
    .describe("Whether the prompt speaks of heartbeats and shows HEARTBEAT.md."),
});
