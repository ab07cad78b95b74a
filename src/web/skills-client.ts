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

/** Whose skills, and where they are asked for. */
export interface SkillServer extends SkillPlace {
  server: Server;
}

/** All that was found for an agent. @throws ApiError */
export function listSkills(at: SkillServer, signal?: AbortSignal): Promise<SkillReport> {
  return requestJson(at.server, { ...skillRequest(at, { verb: "list" }), ...(signal && { signal }) }, isSkillReport);
}

/** A skill as it was looked at. */
export interface SeenSkill {
  /** Of its SKILL.md; empty where it is no text. */
  text: string;
  /** What tells its files from what they may be later. */
  seen?: string;
}

/** What is in a skill's folder; nothing where another skill of the name counts, whose text is asked for there. @throws ApiError */
export async function readSkill(
  at: SkillServer,
  { name, location }: Pick<SkillLine, "name" | "location">,
  signal: AbortSignal,
): Promise<SeenSkill> {
  const found = await requestJson(at.server, { ...skillRequest(at, { verb: "show", name }), signal }, isSkillDetail);
  return found.location === location ? { text: found.text ?? "", seen: found.seen } : { text: "" };
}

/** Switches a skill on or off for everybody, by its key in the configuration. @throws ApiError */
export function switchSkill(server: Server, key: string, enabled: boolean): Promise<void> {
  const headers = { "Content-Type": "application/merge-patch+json", "If-Match": "*" };
  const content = JSON.stringify({ skills: { entries: { [key]: { enabled } } } });
  return requestOk(server, { method: "PATCH", path: "/v1/config", headers, content });
}

/** Installs, updates, removes or accepts a skill; gives its name with what is worth knowing. @throws ApiError */
export async function changeSkill(at: SkillServer, request: SkillRequest): Promise<string> {
  const { name, notes } = await requestJson(at.server, skillRequest(at, request), isSkillChange);
  return [name, ...notes].join(" · ");
}

/** The files of an installed skill that are not as they were installed. @throws ApiError */
export async function verifySkill(at: SkillServer, name: string): Promise<string[]> {
  const { files } = await requestJson(at.server, skillRequest(at, { verb: "verify", name }), isSkillVerification);
  return files.filter(({ status }) => status !== "ok").map(({ path, status }) => `${path} (${status})`);
}

/** A file that was chosen or dropped. The server looks at its first bytes, whatever its type. */
export async function archiveOrigin(file: File): Promise<SkillOrigin> {
  const type = /\.zip$/i.test(file.name) ? "application/zip" : "application/gzip";
  return { kind: "archive", bytes: new Uint8Array(await file.arrayBuffer()), type };
}

/** What was typed is an address, or else a name at the registry: `slug`, `@owner/slug`, each with `@version` or without. */
export function typedOrigin(typed: string): SkillOrigin {
  if (/^https?:\/\//i.test(typed)) return { kind: "url", url: typed };
  const [, slug = typed, version] = /^(.+)@([^@/]+)$/.exec(typed) ?? [];
  return { kind: "slug", slug, ...(version !== undefined && { version }) };
}

/** The skills in which every word of a search occurs, in their name, description, source or reason; all where it is empty. */
export function skillsMatching(skills: readonly SkillLine[], search: string): SkillLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return skills.filter(({ name, source, reason = "", description = "" }) => {
    const text = [name, source, reason, description].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What is in a SKILL.md below its front matter, and the front matter by itself. */
export function splitFrontMatter(text: string): { front: string; body: string } {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return found === null
    ? { front: "", body: text }
    : { front: found[1] ?? "", body: text.slice(found[0].length).trim() };
}
