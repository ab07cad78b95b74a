import { z } from "zod";

const id = z.string().min(1);

/** `bindings`: which agent answers where. */
export const bindings = z
  .array(
    z.strictObject({
      agentId: id.describe("The agent that answers."),
      comment: z.string().optional().describe("A note for people."),
      match: z
        .strictObject({
          channel: id.describe("The channel, by its id."),
          accountId: id
            .optional()
            .describe("The channel's account: `default` where absent, `*` for every one without a binding of its own."),
          peer: z
            .strictObject({
              kind: z.enum(["direct", "group", "channel"]).describe("What kind of conversation it is."),
              id: id.describe("A sender's id where it is direct, else the conversation's; `*` is every one."),
            })
            .optional()
            .describe("One conversation, or one kind of them."),
          guildId: id.optional().describe("A Discord server."),
          teamId: id.optional().describe("A Slack workspace."),
        })
        .describe("What has to be so, all of it."),
    }),
  )
  .default([])
  .describe("Which agent answers where. The one that matches most closely counts; the default agent where none does.");
