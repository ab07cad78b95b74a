import { z } from "zod";
import type { ExecPolicy } from "../security/policy.ts";
import { TOOL_GROUPS } from "../security/tool-policy.ts";
import { planned } from "./field-marks.ts";
import { media } from "./media-schema.ts";
import { overridesOf } from "./overrides.ts";
import { address, secretRef } from "./secret-ref.ts";

const names = z.array(
  z
    .string()
    .min(1)
    .refine(isName, `there is no such group; there is: ${TOOL_GROUPS.join(", ")}`),
);

/** Refuses an unknown group, which would have no effect; an unknown tool may be a plugin's. */
function isName(name: string): boolean {
  const group = name.trim().toLowerCase();
  return !group.startsWith("group:") || TOOL_GROUPS.includes(group);
}

/** A tool policy: a profile, and what is added to it or taken away. */
const choice = {
  profile: z
    .enum(["minimal", "messaging", "coding", "full"])
    .optional()
    .describe("The tools to begin with. Where absent, owners have `coding`; everyone else has at most `messaging`."),
  allow: names
    .optional()
    .describe("The tools of the profile that stay, by name, `group:…` or `*`; all of them where absent."),
  deny: names.default([]).describe("Tools that are taken away, by name, `group:…` or `*`; deny wins."),
};

/** The tools of one group, one channel, or one sender. */
export const toolChoice = z.strictObject(choice);

/** Whether commands may be run, and who is asked. */
const exec = z.strictObject({
  security: z
    .enum(["deny", "allowlist", "full"])
    .default("full")
    .describe(
      "Which commands run: none, so that there is no `exec`, those whose programs and hosts are all on the allowlist, or " +
        "all. What is not on it is refused, or asked about with `ask: on-miss`.",
    ),
  ask: z
    .enum(["off", "on-miss", "always"])
    .default("off")
    .describe("When an owner is asked first: never, for what an allowlist lacks, or always."),
  allowlist: z
    .array(z.string().min(1))
    .default([])
    .describe("Programs that may run, by name, such as `cat`; and hosts that they may reach, as `host:example.org`."),
  timeoutSec: z
    .number()
    .int()
    .min(1)
    .default(60)
    .describe("Longest time of a command, in seconds; more than 600 is taken for 600."),
  backgroundMs: z
    .number()
    .int()
    .min(0)
    .default(10_000)
    .describe("After how many milliseconds a command goes on in the background."),
  notifyOnExit: z.boolean().default(true).describe("Whether its end wakes the agent then."),
});

/** `tools` of one agent. Its profile takes the place of the shared one; its lists only take tools away. */
export const agentTools = z.strictObject(
  {
    ...choice,
    exec: overridesOf(exec).optional().describe("Its own rules for commands."),
  },
  { error: sayNewName },
);

/** `sandbox`: where commands run. */
export const sandbox = z.strictObject({
  mode: z
    .enum(["off", "non-main", "all"])
    .default("off")
    .meta(planned("Which sessions have a sandbox: none, all but the main one, or all.")),
  scope: z
    .enum(["session", "agent", "shared"])
    .default("session")
    .meta(planned("What shares one sandbox: a session, an agent, or everything.")),
  workspaceAccess: z
    .enum(["none", "ro", "rw"])
    .default("rw")
    .meta(planned("Whether commands there may read and write the workspace.")),
});

const web = z
  .strictObject({
    search: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Whether there is `web_search`, where a service is set up."),
        provider: z
          .enum(["brave", "tavily", "exa", "perplexity", "searxng"])
          .optional()
          .describe("The service that searches. Where absent, the first of them whose variable is set."),
        apiKey: secretRef
          .optional()
          .describe("Its key, by the name of its variable; where absent, `BRAVE_API_KEY` and the like."),
        baseUrl: address
          .optional()
          .describe("Its address: of your own SearXNG instead of `SEARXNG_URL`, or of a proxy of another service."),
        maxResults: z
          .number()
          .int()
          .min(1)
          .max(20)
          .default(5)
          .describe("Results of a search that does not say how many it wants."),
        timeoutSeconds: z
          .number()
          .int()
          .min(1)
          .default(30)
          .describe("Longest time of a search; more than 60 is taken for 60."),
        cacheTtlMinutes: z
          .number()
          .min(0)
          .max(1440)
          .default(15)
          .describe("How long the results of a search are shown again without a request; 0 is never."),
      })
      .prefault({})
      .describe("Searching the web."),
    fetch: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Whether there is `web_fetch`."),
        maxChars: z
          .number()
          .int()
          .min(200)
          .default(50_000)
          .describe("Most characters of a page in one result; the rest is read on with `offset`."),
        timeoutSeconds: z
          .number()
          .int()
          .min(1)
          .default(30)
          .describe("Longest time of a request; more than 60 is taken for 60."),
        cacheTtlMinutes: z
          .number()
          .min(0)
          .max(1440)
          .default(15)
          .describe("How long a page that was fetched is shown again without a request; 0 is never."),
        maxRedirects: z.number().int().min(0).max(3).default(3).describe("Most redirects that are followed."),
        userAgent: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe("How requests introduce themselves. Where absent, as Isopod with its version."),
      })
      .prefault({})
      .describe("Reading pages."),
    browser: z
      .strictObject({
        enabled: z.boolean().default(true).describe("Whether there is `browser`, where wrangler.toml binds one."),
        idleSeconds: z
          .number()
          .int()
          .min(10)
          .max(600)
          .default(120)
          .describe("After how long without a call the browser is closed; its time is paid for until then."),
      })
      .prefault({})
      .describe("Driving pages that need their scripts."),
  })
  .prefault({})
  .describe("The web.");

const loopDetection = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Whether repeated tool calls are detected."),
    warnAfter: z
      .number()
      .int()
      .min(2)
      .default(3)
      .describe("Equal calls with equal results before the model is warned."),
    stopAfter: z.number().int().min(3).default(5).describe("Equal calls with equal results before the run ends."),
  })
  .prefault({})
  .refine(({ warnAfter, stopAfter }) => warnAfter < stopAfter, "stopAfter must be greater than warnAfter")
  .describe("Detection of repeated tool calls with the same result.");

/** The fault of `bash`, the former name of `exec`. */
function sayNewName(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "unrecognized_keys" || !issue.keys.includes("bash")) return undefined;
  return "'bash' is called 'exec' now; write its fields there";
}

/** `tools`: what holds for tools of every agent. */
export const tools = z
  .strictObject(
    {
      ...choice,
      exec: exec.prefault({}).describe("How commands are run."),
      others: toolChoice
        .prefault({})
        .describe(
          "The tools of people who are not owners: `message` and `session_status`, and what `allow` names. A profile " +
            "bounds that; without one it is `messaging` for the two, and `coding` for what is named.",
        ),
      byChannel: z
        .record(z.string(), toolChoice)
        .default({})
        .describe("The tools of all conversations of a channel, by its id; they only take away."),
      bySender: z
        .record(z.string(), toolChoice)
        .default({})
        .describe("The tools of one sender, by `channel:id`; they only take away."),
      web,
      media,
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
      loopDetection,
    },
    { error: sayNewName },
  )
  .prefault({})
  .describe("Which tools there are, and their limits.");

/** Longest time of a command, in seconds, whatever is configured: the session's object stays awake, and billed. */
const MAX_TIMEOUT_SEC = 600;

/** The rules for an agent's commands. */
export interface ExecRules extends ExecPolicy {
  timeoutSec: number;
  /** After how many milliseconds a command goes on in the background. */
  backgroundMs: number;
  /** Whether its end wakes the agent then. */
  notifyOnExit: boolean;
}

const HOST = "host:";

/** The rules that `tools.exec` results in; undefined if no command runs. */
export function execRules({ security, ask, allowlist, ...times }: z.output<typeof exec>): ExecRules | undefined {
  if (security === "deny" || (security === "allowlist" && ask === "off" && allowlist.length === 0)) return undefined;
  return {
    security,
    ask,
    programs: allowlist.filter((entry) => !entry.startsWith(HOST)),
    hosts: allowlist.filter((entry) => entry.startsWith(HOST)).map((entry) => entry.slice(HOST.length)),
    timeoutSec: Math.min(times.timeoutSec, MAX_TIMEOUT_SEC),
    backgroundMs: times.backgroundMs,
    notifyOnExit: times.notifyOnExit,
  };
}
