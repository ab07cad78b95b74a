import { z } from "zod";

/**
 * Where a session's object lives. `caller`: near whoever spoke first. A region is a hint, see "Provide a location hint" in
 * Cloudflare's documentation of Durable Objects. `eu` is a jurisdiction: the object is stored and runs in the European
 * Union only.
 */
export const sessionLocation = z.enum([
  "caller",
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
  "eu",
]);

/** See `sessionLocation`. */
export type SessionLocation = z.infer<typeof sessionLocation>;

/** `session`. */
export const session = z
  .strictObject({
    location: sessionLocation
      .default("caller")
      .describe(
        "Where the object of a new session is created: near its first caller, in a region, or within the jurisdiction `eu`. A session stays where it began; `POST /v1/sessions/{key}/move` moves it.",
      ),
    locationByChannel: z
      .record(z.string().min(1), sessionLocation)
      .default({})
      .describe("The same for new sessions of a channel, by its id, such as `telegram`."),
    dmScope: z
      .enum(["auto", "main", "per-peer", "per-channel-peer", "per-account-channel-peer"])
      .default("auto")
      .describe("Which direct conversations share a session; auto: owners share main, everyone else is apart."),
    identityLinks: z
      .record(z.string().regex(/^[\w.@-]{1,64}$/, "use letters, digits and . @ _ -"), z.array(z.string().min(1)))
      .default({})
      .describe(
        "One person's ids, as `channel:id`, under a name that stands for all of them where a session is a person's.",
      ),
    reset: z
      .strictObject({
        mode: z
          .enum(["none", "daily", "idle"])
          .default("none")
          .describe("When a session is reset automatically: never, daily, or after a pause."),
        atHour: z.number().int().min(0).max(23).default(4).describe("`daily`: the hour in the user's time zone."),
        idleMinutes: z.number().int().min(1).default(1440).describe("`idle`: how long the pause is."),
      })
      .prefault({})
      .describe("Automatic resets of sessions. System turns never postpone one."),
    retention: z
      .strictObject({
        days: z
          .number()
          .int()
          .min(0)
          .default(0)
          .describe(
            "After how many days messages, runs, deliveries and lines of the audit trail are deleted, but for what a model is still shown; 0 means never.",
          ),
      })
      .prefault({})
      .describe("How long a session's history is kept. It is applied when the session is used."),
  })
  .prefault({})
  .describe("How conversations become sessions.");

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
        .describe("The conditions; all of them must match."),
    }),
  )
  .default([])
  .describe("Which agent answers where. The closest match counts; without one the default agent answers.");
