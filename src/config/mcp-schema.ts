import { z } from "zod";
import { address, headers, secretRef } from "./secret-ref.ts";

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

const oauthClient = z.strictObject({
  clientId: z.string().min(1).max(500).optional().describe("The client's id there; absent if it registers itself."),
  clientSecret: secretRef.optional().describe("The client's secret, by name."),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, "use characters of OAuth scopes, without spaces"))
    .max(50)
    .optional()
    .describe("The scopes to ask for; those that the server names where absent."),
});

const server = z
  .strictObject(
    {
      url: address.describe("Its address, for Streamable HTTP or the older HTTP with SSE."),
      headers: headers
        .default({})
        .describe(
          "Headers of every request to it, such as `Authorization`: texts, and secrets by name with all of it.",
        ),
      oauth: z
        .union([z.boolean(), oauthClient])
        .default(false)
        .describe("Whether its owner signs in by OAuth 2.1, and with which client."),
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
  .superRefine(({ oauth, headers }, context) => {
    const add = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
    if (typeof oauth === "object" && oauth.clientSecret !== undefined && oauth.clientId === undefined)
      add(["oauth", "clientSecret"], "it belongs to a clientId: name that too");
    const header = Object.keys(headers).find((name) => name.toLowerCase() === "authorization");
    if (oauth !== false && header !== undefined)
      add(["headers", header], "the sign-in by `oauth` sets this header: leave one of them out");
  })
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
