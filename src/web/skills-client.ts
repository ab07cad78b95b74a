import { requestJson, requestOk, type Server } from "../client/http.ts";
import type { SkillOrigin } from "../client/skill-request.ts";
import { type SkillPlace, type SkillRequest, skillRequest } from "../client/skill-request.ts";
import {
  isSkillChange,
  isSkillDetail,
  isSkillReport,
  isSkillVerification,
  type SkillLine,
  type SkillReport,
} from "../client/wire.ts";

/** An agent's skills on a server. */
export interface SkillServer extends SkillPlace {
  server: Server;
}

/** All skills that were found for an agent. @throws ApiError */
export function listSkills(at: SkillServer, signal?: AbortSignal): Promise<SkillReport> {
  return requestJson(at.server, { ...skillRequest(at, { verb: "list" }), ...(signal && { signal }) }, isSkillReport);
}

/** A skill's text, and the digest of the files that were shown. */
export interface SeenSkill {
  /** Its SKILL.md; empty where the file is not text. */
  text: string;
  /** A digest of its files, for `accept`. */
  seen?: string;
}

/** Reads a SKILL.md; its text is empty where another skill of the same name takes precedence. @throws ApiError */
export async function readSkill(
  at: SkillServer,
  { name, location }: Pick<SkillLine, "name" | "location">,
  signal: AbortSignal,
): Promise<SeenSkill> {
  const found = await requestJson(at.server, { ...skillRequest(at, { verb: "show", name }), signal }, isSkillDetail);
  return found.location === location ? { text: found.text ?? "", seen: found.seen } : { text: "" };
}

/** Enables or disables a skill for all agents, by its key in the configuration. @throws ApiError */
export function switchSkill(server: Server, key: string, enabled: boolean): Promise<void> {
  const headers = { "Content-Type": "application/merge-patch+json", "If-Match": "*" };
  const content = JSON.stringify({ skills: { entries: { [key]: { enabled } } } });
  return requestOk(server, { method: "PATCH", path: "/v1/config", headers, content });
}

/** Installs, updates, removes or accepts a skill; resolves with its name and the server's notes. @throws ApiError */
export async function changeSkill(at: SkillServer, request: SkillRequest): Promise<string> {
  const { name, notes } = await requestJson(at.server, skillRequest(at, request), isSkillChange);
  return [name, ...notes].join(" · ");
}

/** The files of an installed skill that have changed since the install. @throws ApiError */
export async function verifySkill(at: SkillServer, name: string): Promise<string[]> {
  const { files } = await requestJson(at.server, skillRequest(at, { verb: "verify", name }), isSkillVerification);
  return files.filter(({ status }) => status !== "ok").map(({ path, status }) => `${path} (${status})`);
}

/** A chosen or dropped archive. The server detects its format by its first bytes. */
export async function archiveOrigin(file: File): Promise<SkillOrigin> {
  const type = /\.zip$/i.test(file.name) ? "application/zip" : "application/gzip";
  return { kind: "archive", bytes: new Uint8Array(await file.arrayBuffer()), type };
}

/** A typed origin: a URL, or a name at the registry: `slug` or `@owner/slug`, with an optional `@version`. */
export function typedOrigin(typed: string): SkillOrigin {
  if (/^https?:\/\//i.test(typed)) return { kind: "url", url: typed };
  const [, slug = typed, version] = /^(.+)@([^@/]+)$/.exec(typed) ?? [];
  return { kind: "slug", slug, ...(version !== undefined && { version }) };
}

/** The skills whose name, description, source or reason contains every word of a search; all for an empty search. */
export function skillsMatching(skills: readonly SkillLine[], search: string): SkillLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter(({ name, source, reason = "", description = "" }) => {
    const text = [name, source, reason, description].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Splits a SKILL.md into its front matter and its body. */
export function splitFrontMatter(text: string): { front: string; body: string } {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return found === null
    ? { front: "", body: text }
    : { front: found[1] ?? "", body: text.slice(found[0].length).trim() };
}
