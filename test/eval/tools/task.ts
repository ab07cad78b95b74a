import { z } from "zod";
import type { McpTool } from "../../fakes/mcp-server.ts";

// A text between slashes is a pattern, with flags behind the second one; any other text has to be equal.

const names = z.array(z.string());
/** What arguments have to be, by their path, such as `schedule.at`. Instants are compared as instants. */
const args = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const step = z.union([
  z.strictObject({ one: names, args: args.optional() }),
  z.strictObject({ any: z.array(names), args: args.optional() }),
  z.strictObject({ optional: names }),
]);

/** A step: one of these tools; one of each of these, in any order; or a tool that may be left out. */
export type Step = z.infer<typeof step>;

const page = z.union([
  z.string().describe("The text of a page"),
  z.strictObject({ error: z.number().describe("The status of an empty page") }),
  z.strictObject({ to: z.string().describe("Where the page has moved to") }),
  z.strictObject({ file: z.string().describe("A file of test/fixtures/tool-tasks"), type: z.string() }),
]);

export type PageAnswer = z.infer<typeof page>;

const file = z.union([z.string(), z.strictObject({ image: z.string() }), z.strictObject({ recording: z.string() })]);

/** A text; or what a picture shows and a recording says. */
export type WorldFile = z.infer<typeof file>;

const found = z.strictObject({ title: z.string(), url: z.string(), snippet: z.string() });

export type FoundPage = z.infer<typeof found>;

const world = z.strictObject({
  files: z.record(z.string(), file).default({}),
  /** What any search finds. */
  web_search: z.array(found).default([]),
  web_fetch: z.record(z.string(), page).default({}),
  /** Lines of the agent's notes. */
  memory: z.array(z.strictObject({ path: z.string(), line: z.number(), text: z.string() })).default([]),
  /** Addresses of people, by channel; they stand in USER.md. */
  contacts: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  cron: z
    .strictObject({ list: z.array(z.strictObject({ id: z.string(), name: z.string(), next: z.string() })) })
    .default({ list: [] }),
  /** What the tools of MCP servers give, by server and tool. */
  mcp: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  /** The tools of MCP servers that are there in place of a calendar. */
  mcpTools: z.record(z.string(), z.custom<McpTool[]>()).default({}),
  /** An MCP server that answers nothing. */
  mcpAway: z.string().optional(),
  note: z.string().optional(),
});

export type TaskWorld = z.infer<typeof world>;

/** What the scripted model does where the steps alone do not say it. */
const script = z.strictObject({
  /** Its calls, in place of those made from the steps. `{{…}}` is a pattern: the first group that a result has of it. */
  calls: z.array(z.tuple([z.string(), z.record(z.string(), z.unknown())])).optional(),
  /** Its answer, in place of everything that the tools gave. */
  answer: z.string().optional(),
});

export type Script = z.infer<typeof script>;

const patterns = z.array(z.string());
const ofFiles = z.record(z.string(), z.union([z.string(), patterns]));

const schema = z.strictObject({
  id: z.string(),
  lang: z.enum(["en", "zh"]),
  kind: z.string(),
  say: z.string(),
  now: z.strictObject({ clock: z.iso.datetime({ offset: true }), zone: z.string() }),
  steps: z.array(step).default([]),
  world: world.prefault({}),
  /** Tools that must not be called, and calls that must not be made, by tool and path of an argument. */
  forbid: names.default([]),
  forbidArgs: z.record(z.string(), args).default({}),
  /** Tools of steps whose calls may fail; `web_fetch` may where the world has a page with an error. */
  mayFail: names.default([]),
  /** Files of the workspace that are not there at the end. */
  filesGone: names.default([]),
  /** Texts that a file of the workspace has at the end, or has not. */
  fileKeeps: ofFiles.default({}),
  fileLacks: ofFiles.default({}),
  /** Patterns that files have at the end. */
  filesAfter: ofFiles.default({}),
  /** Patterns that no message to another conversation matches. */
  messageLacks: patterns.default([]),
  answerHas: patterns.default([]),
  answerLacks: patterns.default([]),
  /** For a reader. */
  honest: z.strictObject({ must: names, never: names }).optional(),
  script: script.prefault({}),
});

/**
 * A request of everyday life: what a person says, the world in which the tools work, and what has to be true at the end.
 * The shape is that of `schedule/tasks.json` of the shared fixtures, with `script` and some worlds more.
 */
export type Task = z.infer<typeof schema>;

/** A task as it is written: what is usual is left out. */
export type WrittenTask = z.input<typeof schema>;

/** @throws Error that names what is wrong */
export function readTasks(written: unknown): Task[] {
  const { data, error } = z.array(schema).safeParse(written);
  if (error !== undefined) throw new Error(`The tasks cannot be read.\n${z.prettifyError(error)}`);
  return data;
}
