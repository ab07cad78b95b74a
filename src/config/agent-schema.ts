import { z } from "zod";
import { heartbeat, zone } from "./automation-schema.ts";
import { agentMayWrite, planned, unused } from "./field-marks.ts";
import { agentMcp } from "./mcp-schema.ts";
import { imageGenerationModel } from "./media-schema.ts";
import { memorySearch } from "./memory-schema.ts";
import { groupChat, humanDelay, identity } from "./messages-schema.ts";
import { compaction, contextLimits, contextPruning, modelChoice, models, params, thinking } from "./model-schema.ts";
import { overridesOf } from "./overrides.ts";
import { isAgentId } from "./session-key.ts";
import { sessionLocation } from "./session-schema.ts";
import { skillNames, skillsLimits } from "./skills-schema.ts";
import { agentTools, sandbox } from "./tools-schema.ts";

const laneCap = z.number().int().min(0);
const laneCaps = z
  .strictObject({
    main: laneCap.describe("Runs of conversations."),
    subagent: laneCap.describe("Runs of sub-agents."),
    cron: laneCap.describe("Runs of jobs."),
    nested: laneCap.describe("Runs started by `sessions_send`."),
  })
  .partial();
const chars = z.number().int().positive();

const subagents = z
  .strictObject({
    allowAgents: z
      .array(z.string())
      .default([])
      .describe("Agents that may be started as sub-agents besides itself; `*` is every one."),
    model: z.string().optional().describe("`provider/model` of sub-agents; that of their agent where absent."),
    thinking: thinking.optional().describe("How much sub-agents think."),
    maxSpawnDepth: z.number().int().min(0).max(5).default(1).describe("How deep sub-agents may start others."),
    maxChildren: z.number().int().min(1).max(50).default(5).describe("Most sub-agents of a session at once."),
    runTimeoutSeconds: z.number().int().min(0).optional().describe("Longest time of a sub-agent's run."),
    delegationMode: z.enum(["suggest", "prefer"]).default("suggest").describe("How readily the agent delegates work."),
  })
  .prefault({})
  .describe("Limits and defaults of sub-agents.");

const blockStreaming = {
  blockStreamingDefault: z
    .enum(["off", "on"])
    .default("off")
    .meta(agentMayWrite("Whether channels get a long reply in blocks while it is being written.")),
  blockStreamingBreak: z
    .enum(["text_end", "message_end"])
    .default("text_end")
    .meta(agentMayWrite("When blocks leave: as they are complete, or when the message is.")),
  blockStreamingChunk: z
    .strictObject({
      minChars: z.number().int().min(1).default(800).describe("Fewest characters of a block that is not the last."),
      maxChars: z.number().int().min(20).max(20_000).default(1200).describe("Most characters of a block."),
    })
    .prefault({})
    .refine(({ minChars, maxChars }) => minChars <= maxChars, "minChars must not be greater than maxChars")
    .describe("How large blocks are."),
};

const bootstrap = {
  skipBootstrap: z.boolean().default(false).describe("Leaves all workspace files out of the prompt."),
  bootstrapMaxChars: chars.default(20_000).describe("Most characters of one workspace file."),
  bootstrapTotalMaxChars: chars.default(60_000).describe("Most characters of all workspace files together."),
  bootstrapPromptTruncationWarning: z
    .enum(["off", "once", "always"])
    .default("always")
    .describe("When the prompt warns that a workspace file was truncated."),
};

/** `agents.defaults`: what applies to every agent without a setting of its own. */
export const agentDefaults = z
  .strictObject({
    model: modelChoice.optional(),
    imageModel: modelChoice.optional().describe("The model that `image` asks where the agent's own sees no images."),
    imageGenerationModel: imageGenerationModel.optional(),
    models,
    params: params.prefault({}),
    workspace: z
      .string()
      .optional()
      .describe(
        "R2 prefix of the default agent's workspace; a place on a disk, such as `~/clawd`, means its own prefix.",
      ),
    skills: skillNames.optional().describe("Skills that agents may use, by name; all where absent, none if empty."),
    userTimezone: zone.optional().meta(agentMayWrite("IANA time zone of the user, such as Asia/Shanghai.")),
    timeFormat: z.enum(["auto", "12", "24"]).default("auto").meta(agentMayWrite("How times of day are written.")),
    thinkingDefault: thinking.default("off").describe("How much a model thinks before it answers."),
    verboseDefault: z
      .enum(["off", "on", "full"])
      .default("off")
      .describe("Whether conversations show tool calls as they happen."),
    reasoningDefault: z
      .enum(["off", "on", "stream"])
      .default("off")
      .describe("Whether people see a model's reasoning."),
    elevatedDefault: z
      .enum(["off", "on", "ask", "full"])
      .default("off")
      .meta(planned("Whether commands may leave the sandbox, where there is one.")),
    contextTokens: z
      .number()
      .int()
      .positive()
      .default(200_000)
      .describe("Most tokens of the context, if the model's window is larger."),
    contextLimits: contextLimits.prefault({}).describe("How much tools return at once."),
    timeoutSeconds: z.number().int().min(0).default(600).describe("Longest time of one run; 0 means no limit."),
    maxConcurrent: z
      .union([laneCap, laneCaps])
      .optional()
      .describe("Most runs at once, for conversations or for each lane; 0 or nothing means any number."),
    compaction,
    contextPruning,
    subagents,
    memorySearch: memorySearch.prefault({}).describe("How agents search their memory."),
    heartbeat: heartbeat.optional().describe("Runs the agents at intervals to check whether something is due."),
    sandbox: sandbox.prefault({}).meta(planned("Where commands run.")),
    humanDelay: humanDelay.prefault({}).describe("Pauses between the blocks of a long reply."),
    ...blockStreaming,
    ...bootstrap,
  })
  .prefault({})
  .describe("Settings of every agent that does not override them.");

const ownSubagents = z
  .strictObject(
    {
      allowAgents: z.array(z.string()).optional().describe("Agents that it may start; `*` is every one."),
      model: z.string().optional().describe("`provider/model` that it answers with where it works as a sub-agent."),
      delegationMode: z.enum(["suggest", "prefer"]).optional().describe("How readily it delegates work."),
    },
    { error: (issue) => belongsToDefaults(issue, "subagents.", Object.keys(subagents.unwrap().shape)) },
  )
  .optional()
  .describe("Its own limits of sub-agents.");

/** One of `agents.list`. */
export const agentEntry = z.strictObject(
  {
    id: z.string().refine(isAgentId, "use lower-case letters, digits, - and _, at most 64").describe("The agent's id."),
    default: z.boolean().optional().describe("Whether it is the default agent."),
    name: z.string().optional().meta(agentMayWrite("Its name for people.")),
    model: modelChoice.optional(),
    params: params.optional(),
    workspace: z
      .string()
      .optional()
      .describe("R2 prefix of its workspace; a place on a disk, such as `~/clawd`, means its own prefix."),
    agentDir: z.string().optional().meta(unused("A folder for its state; here state is in its objects and in D1.")),
    skills: skillNames.optional().describe("Skills that it may use, in place of the shared list."),
    skillsLimits: skillsLimits.optional().describe("How much of its prompt skills may be."),
    contextLimits: overridesOf(contextLimits).optional().describe("How much it reads at once."),
    memorySearch: overridesOf(memorySearch).optional().describe("How it searches its memory."),
    heartbeat: overridesOf(heartbeat)
      .optional()
      .describe("Runs this agent at intervals; once one agent has its own, agents without one have none."),
    humanDelay: overridesOf(humanDelay)
      .optional()
      .meta(agentMayWrite("Its pauses between the blocks of a long reply.")),
    identity: identity.optional().meta(agentMayWrite("How it presents itself to people.")),
    groupChat: groupChat.optional().describe("How it takes part in group conversations."),
    subagents: ownSubagents,
    sandbox: overridesOf(sandbox).optional().meta(planned("Where its commands run.")),
    location: sessionLocation
      .optional()
      .describe("Where its new sessions are created; in place of `session.location` and of their channel's location."),
    tools: agentTools.optional().describe("Its own tool policy."),
    mcp: agentMcp.optional().describe("The MCP servers that it has."),
  },
  { error: (issue) => belongsToDefaults(issue, "", Object.keys(agentDefaults.unwrap().shape)) },
);

/** The fault of a field that only `agents.defaults` has, in the entry of one agent. */
function belongsToDefaults(issue: z.core.$ZodRawIssue, below: string, known: readonly string[]): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  const shared = issue.keys.filter((key) => known.includes(key));
  if (shared.length === 0) return undefined;
  const fields = shared.map((key) => `agents.defaults.${below}${key}`).join(", ");
  return `${shared.join(", ")}: not a setting of one agent; it holds for all and belongs in ${fields}`;
}
