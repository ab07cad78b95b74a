import { ask, type Server, tell } from "../cli/http.ts";
import { isSkillDetail, isSkillsReport, type SkillsReport } from "../cli/skill-wire.ts";

/** An installed skill: of one agent, or of all of them. */
export interface InstalledAt {
  agentId: string;
  name: string;
  global: boolean;
}

/** How a skill is installed: for all agents, and over one that is there. */
export interface InstallHow {
  global: boolean;
  replace: boolean;
}

/** All that was found for an agent. @throws ApiError */
export function listSkills(server: Server, agentId: string, signal?: AbortSignal): Promise<SkillsReport> {
  return ask(server, { path: pathOf(agentId), ...(signal && { signal }) }, isSkillsReport);
}

/** The text of a skill's SKILL.md; empty where it is no text. @throws ApiError */
export async function readSkill(server: Server, agentId: string, name: string, signal: AbortSignal): Promise<string> {
  const { text = "" } = await ask(server, { path: pathOf(agentId, name), signal }, isSkillDetail);
  return text;
}

/** Switches a skill on or off for everybody, by its key in the configuration. @throws ApiError */
export function switchSkill(server: Server, key: string, enabled: boolean): Promise<void> {
  const headers = { "Content-Type": "application/merge-patch+json", "If-Match": "*" };
  const content = JSON.stringify({ skills: { entries: { [key]: { enabled } } } });
  return tell(server, { method: "PATCH", path: "/v1/config", headers, content });
}

/** Installs an archive; gives the skill's name. @throws ApiError */
export async function installArchive(server: Server, agentId: string, archive: File, how: InstallHow): Promise<string> {
  const content = new Uint8Array(await archive.arrayBuffer());
  const headers = { "Content-Type": /\.zip$/i.test(archive.name) ? "application/zip" : "application/gzip" };
  const path = `${pathOf(agentId)}${queryOf({ ...how })}`;
  return (await ask(server, { method: "POST", path, headers, content }, isNamed)).name;
}

/** Installs from a web address, or by a name at the registry with its version behind `@`; gives the skill's name. @throws ApiError */
export async function installFrom(server: Server, agentId: string, from: string, how: InstallHow): Promise<string> {
  const body = { ...sourceOf(from), ...how };
  return (await ask(server, { method: "POST", path: pathOf(agentId), body }, isNamed)).name;
}

/** Fetches an installed skill anew, or takes it as it is. @throws ApiError */
export function actOn(server: Server, { agentId, name, global }: InstalledAt, act: "update" | "accept"): Promise<void> {
  return tell(server, { method: "POST", path: `${pathOf(agentId, name)}/${act}${queryOf({ global })}` });
}

/** The files of an installed skill that are not as they were installed. @throws ApiError */
export async function verifySkill(server: Server, { agentId, name, global }: InstalledAt): Promise<string[]> {
  const path = `${pathOf(agentId, name)}/verify${queryOf({ global })}`;
  const { files } = await ask(server, { method: "POST", path }, isVerification);
  return files.filter(({ status }) => status !== "ok").map(({ path, status }) => `${path} (${status})`);
}

/** Removes an installed skill. @throws ApiError */
export function removeSkill(server: Server, { agentId, name, global }: InstalledAt): Promise<void> {
  return tell(server, { method: "DELETE", path: `${pathOf(agentId, name)}${queryOf({ global })}` });
}

/** What was typed is an address, or else a name: `slug`, `@owner/slug`, each with `@version` behind it or without. */
export function sourceOf(typed: string): { url: string } | { slug: string; version?: string } {
  if (/^https?:\/\//i.test(typed)) return { url: typed };
  const [, slug = typed, version] = /^(.+)@([^@/]+)$/.exec(typed) ?? [];
  return version === undefined ? { slug } : { slug, version };
}

function pathOf(agentId: string, name?: string): string {
  const path = `/v1/agents/${encodeURIComponent(agentId)}/skills`;
  return name === undefined ? path : `${path}/${encodeURIComponent(name)}`;
}

function queryOf(flags: Readonly<Record<string, boolean>>): string {
  const names = Object.keys(flags).filter((name) => flags[name]);
  return names.length === 0 ? "" : `?${new URLSearchParams(names.map((name) => [name, "true"]))}`;
}

function isNamed(value: unknown): value is { name: string } {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";
}

function isVerification(value: unknown): value is { files: { path: string; status: string }[] } {
  return typeof value === "object" && value !== null && "files" in value && Array.isArray(value.files);
}
