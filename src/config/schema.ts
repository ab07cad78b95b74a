import { z } from "zod";
import { agentDefaults, agentEntry } from "./agent-schema.ts";
import { cron } from "./automation-schema.ts";
import { mcp } from "./mcp-schema.ts";
import { memory } from "./memory-schema.ts";
import { messages, prompt } from "./messages-schema.ts";
import { auth, budgets, commands, security } from "./security-schema.ts";
import { bindings, session } from "./session-schema.ts";
import { skills } from "./skills-schema.ts";
import { tools } from "./tools-schema.ts";

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
  .describe("The agents and their shared settings.");

/** The parts of the configuration that belong to no list of members. */
export const coreFields = {
  agents,
  bindings,
  session,
  messages,
  commands,
  auth,
  budgets,
  tools,
  mcp,
  skills,
  memory,
  cron,
  security,
  prompt,
};

const coreSchema = z.strictObject(coreFields);

/** The configuration without the parts that models, channels and plugins bring. */
export type CoreConfig = z.output<typeof coreSchema>;
