import { z } from "zod";
import { address, headers } from "./secret-ref.ts";

const toolPatterns = z.array(z.string().min(1).max(200));

/** Fields of other products' configurations, and what to do instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  command:
    "a server that is started as a command cannot run in a Worker: run it elsewhere behind Streamable HTTP, such as with " +
    "a gateway for stdio servers, and name its `url`",
  args: "it belongs to `command`, which a Worker cannot run: name the `url` of a remote server",
  env: "it belongs to `command`, which a Worker cannot run: name the `url` of a remote server",
  type: "leave it out: Streamable HTTP is tried first, then the older HTTP with SSE",
  transport: "leave it out: Streamable HTTP is tried first, then the older HTTP with SSE",
};

const server = z
  .strictObject(
    {
      url: address.describe("Its address, for Streamable HTTP or the older HTTP with SSE."),
      headers: headers
        .default({})
        .describe(
          "Headers of every request to it, such as `Authorization`: texts, and secrets by name with all of it.",
        ),
      tools: z
        .strictObject({
          allow: toolPatterns.optional().describe("The tools to take, by its own names or patterns such as `get_*`."),
          deny: toolPatterns.default([]).describe("Tools to leave out, by name or pattern; deny wins."),
        })
        .prefault({})
        .describe("Which of its tools the agents have."),
      timeoutSeconds: z.int().min(1).max(600).default(60).describe("Longest time of a call, in seconds."),
      trusted: z
        .boolean()
        .default(false)
        .describe("Whether it may be told what turns have read: then `security.flow` does not ask before its tools."),
      enabled: z.boolean().default(true).describe("Whether it is used."),
    },
    { error: foreignField },
  )
  .describe("One server.");

/** Names the first field that other products have and this one cannot, in place of saying that it is unknown. */
function foreignField(issue: z.core.$ZodRawIssue): string | undefined {
  const input = issue.input as object | undefined;
  if (typeof input !== "object" || input === null) return undefined;
  const found = Object.keys(FOREIGN).find((field) => field in input);
  return issue.code === "unrecognized_keys" && found !== undefined ? `${found}: ${FOREIGN[found]}` : undefined;
}

/** The name of a server: a part of its tools' names. */
const serverName = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,31}$/, "use letters, digits, - and single _, at most 32");

/** Most servers: a turn may read the state of all of them. */
const MAX_SERVERS = 50;

/** Whether tools of two servers could have one name, or one policy mean both: `a` with `b_c`, and `a_b` with `c`. */
function hasMixedNames(names: readonly string[]): boolean {
  const lower = names.map((name) => name.toLowerCase());
  return lower.some((name) => lower.some((other) => other.startsWith(`${name}_`)));
}

/** `mcp`. */
export const mcp = z
  .strictObject({
    servers: z
      .record(serverName, server)
      .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `at most ${MAX_SERVERS} servers`)
      .refine((servers) => !hasMixedNames(Object.keys(servers)), {
        error: "one name begins with another and _, so that their tools could be mixed up: rename one of them",
      })
      .default({})
      .describe("Servers of the Model Context Protocol, by a name of your own."),
  })
  .prefault({})
  .describe("Tools of other programs, by the Model Context Protocol.");

/** `mcp` of one agent. */
export const agentMcp = z.strictObject({
  servers: z
    .array(serverName)
    .optional()
    .describe("The servers that it has, by name; all where absent, none if empty."),
});

/** A server of the configuration, with its defaults. */
export interface McpServer {
  name: string;
  config: z.output<typeof server>;
}

/** The servers of the configuration. */
export function mcpServersIn({ servers }: z.output<typeof mcp>): McpServer[] {
  return Object.entries(servers).map(([name, config]) => ({ name, config }));
}
