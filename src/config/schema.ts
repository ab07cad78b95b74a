import { z } from "zod";
import { agentDefaults, agentEntry } from "./agent-schema.ts";
import { agentIds } from "./agents.ts";
import { cron } from "./automation-schema.ts";
import { bindings } from "./bindings-schema.ts";
import { memory } from "./memory-schema.ts";
import { commands, messages } from "./messages-schema.ts";
import { auth, budgets, prompt, security } from "./operations-schema.ts";
import { session } from "./session-schema.ts";
import { refuseOwnSecrets } from "./skill-secrets.ts";
import { skills } from "./skills-schema.ts";
import { tools } from "./tools-schema.ts";
import { refuseBadWorkspaces } from "./workspace-prefix.ts";

const agents = z
  .strictObject({
    defaults: agentDefaults,
    list: z.array(agentEntry).default([]).describe("The agents; without any there is one, `main`."),
  })
  .superRefine(({ list }, context) => {
    const taken = new Set<string>();
    for (const [at, { id }] of list.entries()) {
      if (taken.has(id)) {
        context.addIssue({ code: "custom", path: ["list", at, "id"], message: `'${id}' is another agent's, too` });
      }
      taken.add(id);
    }
  })
  .prefault({})
  .describe("The agents and what they share.");

/** The parts of the configuration that belong to no list of members. */
const core = {
  agents,
  bindings,
  session,
  messages,
  commands,
  auth,
  budgets,
  tools,
  skills,
  memory,
  cron,
  security,
  prompt,
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
    .superRefine(refuseBadWorkspaces)
    .superRefine(refuseOwnSecrets)
    .describe("The configuration.");
}

/** Most agents that a fault names. */
const MAX_NAMED = 20;

/** A budget or a binding of an agent that is not there would hold for nobody. */
function refuseUnknownAgents(config: CoreConfig, context: z.RefinementCtx): void {
  const known = new Set(agentIds(config));
  const some = [...known].slice(0, MAX_NAMED).join(", ");
  const there = known.size > MAX_NAMED ? `${some} and ${known.size - MAX_NAMED} more` : some;
  const named = [
    ...Object.keys(config.budgets.agents).map((id) => ({ id, path: ["budgets", "agents", id] })),
    ...config.bindings.map(({ agentId }, at) => ({ id: agentId, path: ["bindings", at, "agentId"] })),
  ];
  for (const { id, path } of named) {
    if (known.has(id)) continue;
    const message = `no agent '${id}' is configured; there is: ${there}`;
    context.addIssue({ code: "custom", path, message });
  }
}
