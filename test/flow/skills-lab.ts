import { type Fault, watchBucket } from "../workspace/watch-bucket.ts";
import { asked, env, finished, say } from "./client.ts";
import { putOutside } from "./outside.ts";
import { equip, session, sql } from "./session-lab.ts";

/** The R2 prefix of the workspace of the agent `main`. */
export const ROOT = "agents/main/workspace/";

/** The text of a SKILL.md. */
export function skillText(name: string, description: string, body = ""): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}

/** Puts a skill where another program would: nobody is told. */
export async function putSkill(name: string, description: string, body?: string): Promise<void> {
  await putOutside(`${ROOT}skills/${name}/SKILL.md`, skillText(name, description, body));
}

/** What a session's object is given besides, until it leaves memory. */
export interface Given {
  /** `skills` of its configuration. */
  skills?: object;
  fault?: Fault;
  sessionKey?: string;
}

/** Gives a session a bucket that keeps a record, and a configuration for skills. */
export async function prepare(
  name: string,
  { skills = {}, fault, sessionKey = session(name).sessionKey }: Given = {},
): Promise<string[]> {
  const { bucket, calls } = watchBucket(env.FILES, fault);
  const config = { ...JSON.parse(env.ISOPOD_CONFIG ?? "{}"), skills };
  await equip(sessionKey, { env: { ...env, FILES: bucket, ISOPOD_CONFIG: JSON.stringify(config) } });
  return calls;
}

/** Has a turn of a session under its own scenario, and gives what the model was shown of skills at its last request. */
export async function turn(name: string, text = "hello", { sessionKey } = session(name)): Promise<string> {
  const { runId } = await say(text, name, { sessionKey });
  const run = await finished(runId);
  if (run.status !== "ok") throw new Error(JSON.stringify(run));
  return shown((await asked(name)).at(-1));
}

/** The list of skills in a request to a model. */
export function shown(request: { body: { messages: { content: unknown }[] } } | undefined): string {
  const prompt = String(request?.body.messages[0]?.content);
  return /<available_skills>[\s\S]*<\/available_skills>/.exec(prompt)?.[0] ?? "";
}

/** The version under which a list has a skill. */
export function versionIn(list: string, name: string): string | undefined {
  return new RegExp(`<name>${name}</name>[\\s\\S]*?<version>(.*?)</version>`).exec(list)?.[1];
}

/** The digest of what is stored of a session's skills. */
export async function digestOf(name: string): Promise<string> {
  const [row] = await sql<{ body: string }>(name, "select body from skill_scan");
  return row === undefined ? "" : JSON.parse(row.body).digest;
}
