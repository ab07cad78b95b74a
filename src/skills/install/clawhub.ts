import type { z } from "zod";
import { digestOf } from "../../lib/digest.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { SafeResponse } from "../../security/safe-fetch.ts";
import { askOutside } from "./ask-outside.ts";
import { skillAnswer, versionAnswer } from "./clawhub-schema.ts";
import { moderationObjection, type Objection, scanObjection, statusObjection } from "./clawhub-verdict.ts";
import type { ArchivePorts, FetchedArchive } from "./download.ts";
import { isArchive } from "./is-archive.ts";

const MAX_JSON_BYTES = 1024 * 1024;
const SLUG = /^(?:@?([a-z0-9][a-z0-9_-]{0,63})\/)?([a-z0-9][a-z0-9_-]{0,127})$/i;
const VERSION = /^[0-9a-z][0-9a-z.+-]{0,63}$/i;
const LATER = "Try again later.";

/** A skill of the registry as its addresses name it. */
interface Wanted {
  slug: string;
  owner: string | undefined;
}

/**
 * Gets a skill from a registry that speaks ClawHub's API (v1): asks what it is, then for a version, then for its archive. What the
 * registry has anything against is not taken.
 * @param ref `slug` or `@owner/slug`
 * @param version the newest where it is undefined
 * @throws IsopodError as `fetchArchive` does
 */
export async function fetchFromClawHub(
  ref: string,
  version: string | undefined,
  ports: ArchivePorts,
): Promise<FetchedArchive> {
  const wanted = wantedOf(ref);
  if (version !== undefined && !VERSION.test(version)) throw badName("That is no version.", "Write it as 1.2.3.");
  const { skill, latestVersion, moderation } = await ask(skillAnswer, ["skills", wanted.slug], wanted, {}, ports);
  refuseIf(moderationObjection(moderation), wanted, ports);
  const found = { ...wanted, slug: skill.slug };
  if (!SLUG.test(skill.slug)) throw misunderstood(ports);
  const newest = version ?? latestVersion?.version;
  if (newest === undefined) {
    throw new IsopodError("not_found", `${nameOf(found)} has no version yet.`, "Ask for another skill.");
  }
  const about = await ask(versionAnswer, ["skills", found.slug, "versions", newest], found, {}, ports);
  refuseIf(scanObjection(about.version.security?.status), found, ports);
  if (about.version.version !== newest) throw misunderstood(ports);
  const { body, headers } = await askRegistry(["download"], found, { slug: found.slug, version: newest }, ports);
  if (!isArchive(body)) throw misunderstood(ports);
  const sha256 = await digestOf("SHA-256", body);
  const told = headers["x-clawhub-artifact-sha256"];
  if (told !== undefined && told.toLowerCase() !== sha256) {
    const message = `What ${hostOf(ports)} sent as ${nameOf(found)} is not what it says it is.`;
    throw new IsopodError("unavailable", message, "Try again; if it stays so, tell the registry.", {
      reason: "digest",
    });
  }
  const files = about.version.files?.map((file) => [file.path, file.sha256.toLowerCase()] as const);
  const resolved = { kind: "clawhub", slug: nameOf(found), version: newest, sha256 } as const;
  return { bytes: body, resolved: { ...resolved, files: files === undefined ? undefined : new Map(files) } };
}

async function ask<Schema extends z.ZodType>(
  schema: Schema,
  path: readonly string[],
  wanted: Wanted,
  query: Record<string, string>,
  ports: ArchivePorts,
): Promise<z.output<Schema>> {
  const bounded = { ...ports, limits: { ...ports.limits, maxBytes: MAX_JSON_BYTES } };
  const { body } = await askRegistry(path, wanted, query, bounded);
  const parsed = schema.safeParse(jsonOf(body));
  if (!parsed.success) throw misunderstood(ports);
  return parsed.data;
}

async function askRegistry(
  path: readonly string[],
  wanted: Wanted,
  query: Record<string, string>,
  ports: ArchivePorts,
): Promise<SafeResponse> {
  const base = ports.registryUrl.replace(/\/+$/, "");
  const url = new URL(`${base}/api/v1/${path.map(encodeURIComponent).join("/")}`);
  const owner = wanted.owner === undefined ? {} : { ownerHandle: wanted.owner };
  for (const [name, value] of Object.entries({ ...query, ...owner })) url.searchParams.set(name, value);
  // Reading needs no token; with one, more may be asked for in a minute.
  const headers = ports.registryToken === undefined ? {} : { Authorization: `Bearer ${ports.registryToken}` };
  const response = await askOutside(ports.fetch, url.href, { ...ports.limits, headers });
  if (response.status === 200) return response;
  refuseIf(statusObjection(response.status), wanted, ports);
  throw unanswered(response, wanted, ports);
}

function unanswered({ status, headers }: SafeResponse, wanted: Wanted, ports: ArchivePorts): IsopodError {
  const host = hostOf(ports);
  if (status === 404) {
    const hint = "Look for a mistake in the name or the version.";
    return new IsopodError("not_found", `${host} has no ${nameOf(wanted)} of that version.`, hint);
  }
  if (status === 409) {
    const message = `Several people have a skill '${wanted.slug}' at ${host}.`;
    return new IsopodError("conflict", message, `Say whose: @owner/${wanted.slug}.`, { reason: "ambiguous" });
  }
  if (status === 429) {
    const seconds = Number(headers["retry-after"] ?? headers["ratelimit-reset"]);
    const when = seconds > 0 ? `Try again in ${Math.ceil(seconds)} s.` : "Try again in a minute.";
    return new IsopodError("rate_limited", `${host} was asked too often.`, when);
  }
  if (status === 401) {
    return new IsopodError("forbidden", `${host} refuses the token.`, "Check skills.install.registryToken.");
  }
  return new IsopodError("unavailable", `${host} answered with ${status}.`, LATER);
}

function refuseIf(objection: Objection | undefined, wanted: Wanted, ports: ArchivePorts): void {
  if (objection === undefined) return;
  const { reason, says, hint } = objection;
  throw new IsopodError("forbidden", `${nameOf(wanted)} is not installed: ${hostOf(ports)} ${says}.`, hint, { reason });
}

function wantedOf(ref: string): Wanted {
  const [, owner, slug] = SLUG.exec(ref) ?? [];
  if (slug === undefined)
    throw badName("That is no name of a skill at a registry.", "Write it as slug or @owner/slug.");
  return { slug, owner };
}

function nameOf({ slug, owner }: Wanted): string {
  return owner === undefined ? slug : `@${owner}/${slug}`;
}

function hostOf({ registryUrl }: ArchivePorts): string {
  return new URL(registryUrl).host;
}

function badName(message: string, hint: string): IsopodError {
  return new IsopodError("invalid_request", message, hint);
}

function misunderstood(ports: ArchivePorts): IsopodError {
  const hint = "Check skills.install.registryUrl: it has to speak ClawHub's API.";
  return new IsopodError("unavailable", `The answer of ${hostOf(ports)} is not what a registry says.`, hint);
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
