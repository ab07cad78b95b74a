import { z } from "zod";
import { agentDefaults, agentEntry } from "./agent-schema.ts";
import { agentIds } from "./agents.ts";
import { auth, budgets, tools } from "./operations-schema.ts";
import { secretRef } from "./secret-ref.ts";
import { refuseBadWorkspaces } from "./workspace-prefix.ts";

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
  .prefault({});

/** The parts of the configuration that belong to no list of members. */
const core = {
  agents: z
    .strictObject({ defaults: agentDefaults, list: z.array(agentEntry).default([]) })
    .superRefine(({ list }, context) => {
      for (const [at, { id }] of list.entries()) {
        if (list.findIndex((entry) => entry.id === id) === at) continue;
        context.addIssue({ code: "custom", path: ["list", at, "id"], message: `'${id}' is another agent's, too` });
      }
    })
    .prefault({})
    .describe("The agents and what they share."),
  session: z
    .strictObject({
      dmScope: z
        .enum(["auto", "main", "per-peer", "per-channel-peer", "per-account-channel-peer"])
        .default("auto")
        .describe("Which direct conversations share a session; auto: owners share main, everyone else is apart."),
      reset: z
        .strictObject({
          mode: z
            .enum(["none", "daily", "idle"])
            .default("none")
            .describe("When a conversation is begun anew by itself: never, each day, or after a pause."),
          atHour: z.number().int().min(0).max(23).default(4).describe("`daily`: the hour in the user's time zone."),
          idleMinutes: z.number().int().min(1).default(1440).describe("`idle`: how long the pause is."),
        })
        .prefault({})
        .describe("When a session begins anew. What the system itself does never puts that off."),
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
        .describe("How long a session's history is kept. It is looked after when the session is used."),
    })
    .prefault({})
    .describe("How conversations become sessions."),
  auth,
  budgets,
  tools,
  messages: z.strictObject({ queue }).prefault({}).describe("What happens to messages on their way to the agent."),
  commands: z
    .strictObject({
      ownerAllowFrom: z
        .array(z.string())
        .default([])
        .describe("Owners as `channel:senderId`, or an id on any channel."),
      ownerDisplay: z.enum(["raw", "hash"]).default("hash").describe("How the prompt shows an owner's id."),
      ownerDisplaySecret: secretRef.optional().describe("Key of the hash of owners' ids."),
    })
    .prefault({})
    .describe("Who may give commands."),
  prompt: z
    .strictObject({
      productName: z
        .string()
        .min(1)
        .max(64)
        .default("OpenClaw")
        .describe("The product that the agent says it runs inside."),
      docsUrl: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe("Where people read Isopod's documentation, such as https://<your address>/docs; agents pass it on."),
      skillsUrl: z
        .url({ protocol: /^https?$/ })
        .default("https://clawhub.ai")
        .describe("Where agents send people to look for skills."),
    })
    .prefault({})
    .describe("What the system prompt calls things."),
};

const coreSchema = z.strictObject(core);

/** The configuration without the parts that models, channels and plugins bring. */
export type CoreConfig = z.output<typeof coreSchema>;

/** Composes the whole schema; `models`, `channels` and `hooks` are what the rooms of models, channels and plugins bring. */
export function configSchema<Models extends z.ZodType, Channels extends z.ZodType, Hooks extends z.ZodType>(
  models: Models,
  channels: Channels,
  hooks: Hooks,
) {
  return z
    .strictObject({ ...core, models, channels, hooks })
    .superRefine(refuseUnknownAgents)
    .superRefine(refuseBadWorkspaces);
}

/** A budget of an agent that is not there would hold for nobody. */
function refuseUnknownAgents(config: CoreConfig, context: z.RefinementCtx): void {
  const known = agentIds(config);
  for (const id of Object.keys(config.budgets.agents)) {
    if (known.includes(id)) continue;
    const message = `no agent '${id}' is configured; there is: ${known.join(", ")}`;
    context.addIssue({ code: "custom", path: ["budgets", "agents", id], message });
  }
}
