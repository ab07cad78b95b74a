import { z } from "zod";
import { secretRef } from "./secret-ref.ts";
import { isAgentId } from "./session-key.ts";

const cap = z.number().min(0).optional();

const caps = z
  .strictObject({
    runsPerHour: cap.describe("Most runs that begin within any hour; 0 allows none. Commands do not count."),
    runsPerDay: cap.describe("Most runs that begin within any 24 hours."),
    tokensPerHour: cap.describe("Most tokens, in and out, within any hour."),
    tokensPerDay: cap.describe("Most tokens within any 24 hours."),
    usdPerHour: cap.describe("Most estimated money within any hour, in US dollars; every model needs a `cost` then."),
    usdPerDay: cap.describe("Most estimated money within any 24 hours."),
  })
  .prefault({});

/** `budgets`: what may be spent. Nothing is set by default, and then nothing is counted. */
export const budgets = z
  .strictObject({
    global: caps.describe("Of all agents together."),
    perAgent: caps.describe("Of each agent that has no entry of its own."),
    agents: z
      .record(z.string().refine(isAgentId, "use an agent's id"), caps)
      .default({})
      .describe("Of one agent, by its id."),
  })
  .prefault({})
  .describe("Most runs, tokens and estimated money an hour and a day. A run without room left ends and says so.");

/** `auth`: several keys for one provider. */
export const auth = z
  .strictObject({
    profiles: z
      .record(
        z.string().regex(/^[\w.:@-]{1,80}$/, "use letters, digits and . : @ _ -"),
        z.strictObject({
          provider: z.string().describe("The provider that the key is of."),
          apiKey: secretRef,
        }),
      )
      .default({})
      .describe("Keys by a name of your own, such as `anthropic:work`."),
    order: z
      .record(z.string(), z.array(z.string()))
      .default({})
      .describe("Per provider, its profiles in the order in which they are used; by default as they are written."),
  })
  .superRefine(({ profiles, order }, context) => {
    for (const [provider, names] of Object.entries(order)) {
      for (const [at, name] of names.entries()) {
        if (profiles[name]?.provider === provider) continue;
        const message = `'${name}' is no profile of '${provider}'; add it to auth.profiles`;
        context.addIssue({ code: "custom", path: ["order", provider, at], message });
      }
    }
  })
  .prefault({})
  .describe("Keys of model providers. One that is refused or used up rests, and the next one is used.");

/** `tools`: what holds for tools of every agent. */
export const tools = z
  .strictObject({
    sessions: z
      .strictObject({
        visibility: z
          .enum(["self", "tree", "agent", "all"])
          .default("tree")
          .describe(
            "Which sessions an agent may look at and write to: its own, with its sub-agents, its agent's, any.",
          ),
      })
      .prefault({})
      .describe("The tools that reach other sessions."),
    agentToAgent: z
      .strictObject({
        enabled: z
          .boolean()
          .default(false)
          .describe("Whether agents may look at each other's sessions and write to them."),
        allow: z.array(z.string()).default([]).describe("Agents that may be reached; none, or `*`, is every one."),
      })
      .prefault({})
      .describe("Messages between agents."),
    experimental: z
      .strictObject({
        planTool: z
          .boolean()
          .default(true)
          .describe("Whether agents have `update_plan`, to show a plan of their work."),
      })
      .prefault({})
      .describe("Tools that may change."),
    loopDetection: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Whether a model that repeats itself is noticed."),
        warnAfter: z.number().int().min(2).default(3).describe("Equal calls with equal results before it is told."),
        stopAfter: z.number().int().min(3).default(5).describe("Equal calls with equal results before the run ends."),
      })
      .prefault({})
      .refine(({ warnAfter, stopAfter }) => warnAfter < stopAfter, "stopAfter has to be more than warnAfter")
      .describe("The same call with the same result, over and over."),
  })
  .prefault({})
  .describe("What tools may do.");
