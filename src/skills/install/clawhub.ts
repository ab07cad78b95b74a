import { z } from "zod";
import { digestOf } from "../../lib/digest.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { SafeResponse } from "../../security/safe-fetch.ts";
import { isArchive } from "./archive.ts";
import { askOutside, type DownloadDeps, type FetchedArchive } from "./archive-request.ts";

const MAX_JSON_BYTES = 1024 * 1024;
const SLUG = /^(?:@?([a-z0-9][a-z0-9_-]{0,63})\/)?([a-z0-9][a-z0-9_-]{0,127})$/i;
const VERSION = /^[0-9a-z][0-9a-z.+-]{0,63}$/i;
const LATER = "Try again later.";

/** A parsed `slug` or `@owner/slug`. */
interface RegistryRef {
  slug: string;
  owner: string | undefined;
}

/**
 * Downloads a skill from a registry with ClawHub's API (v1), in three requests: the skill, its version, its archive.
 * Skills that the registry flags are refused.
 * @param ref `slug` or `@owner/slug`
 * @param version the newest if undefined
 * @throws IsopodError as `fetchArchive` does
 */
export async function fetchFromClawHub(
  ref: string,
  version: string | undefined,
  deps: DownloadDeps,
): Promise<FetchedArchive> {
  const skillRef = parseRegistryRef(ref);
  if (version !== undefined && !VERSION.test(version)) throw badName("That is no version.", "Write it as 1.2.3.");
  const { skill, latestVersion, moderation } = await ask(skillAnswer, ["skills", skillRef.slug], skillRef, {}, deps);
  refuseIf(moderationObjection(moderation), skillRef, deps);
  const found = { ...skillRef, slug: skill.slug };
  if (!SLUG.test(skill.slug)) throw unexpectedAnswer(deps);
  const newest = version ?? latestVersion?.version;
  if (newest === undefined) {
    throw new IsopodError("not_found", `${registryRefText(found)} has no version yet.`, "Ask for another skill.");
  }
  const versionDetails = await ask(versionAnswer, ["skills", found.slug, "versions", newest], found, {}, deps);
  refuseIf(scanObjection(versionDetails.version.security?.status), found, deps);
  if (versionDetails.version.version !== newest) throw unexpectedAnswer(deps);
  const { body, headers } = await askRegistry(["download"], found, { slug: found.slug, version: newest }, deps);
  if (!isArchive(body)) throw unexpectedAnswer(deps);
  const sha256 = await digestOf("SHA-256", body);
  const statedDigest = headers["x-clawhub-artifact-sha256"];
  if (statedDigest !== undefined && statedDigest.toLowerCase() !== sha256) {
    const message = `What ${registryHost(deps)} sent as ${registryRefText(found)} is not what it says it is.`;
    throw new IsopodError("unavailable", message, "Try again; if it persists, report it to the registry.", {
      reason: "digest",
    });
  }
  const files = versionDetails.version.files?.map((file) => [file.path, file.sha256.toLowerCase()] as const);
  const resolved = { kind: "clawhub", slug: registryRefText(found), version: newest, sha256 } as const;
  return { bytes: body, resolved: { ...resolved, files: files === undefined ? undefined : new Map(files) } };
}

async function ask<Schema extends z.ZodType>(
  schema: Schema,
  path: readonly string[],
  skillRef: RegistryRef,
  query: Record<string, string>,
  deps: DownloadDeps,
): Promise<z.output<Schema>> {
  const bounded = { ...deps, limits: { ...deps.limits, maxBytes: MAX_JSON_BYTES } };
  const { body } = await askRegistry(path, skillRef, query, bounded);
  const parsed = schema.safeParse(parseJson(body));
  if (!parsed.success) throw unexpectedAnswer(deps);
  return parsed.data;
}

async function askRegistry(
  path: readonly string[],
  skillRef: RegistryRef,
  query: Record<string, string>,
  deps: DownloadDeps,
): Promise<SafeResponse> {
  const base = deps.registryUrl.replace(/\/+$/, "");
  const url = new URL(`${base}/api/v1/${path.map(encodeURIComponent).join("/")}`);
  const owner = skillRef.owner === undefined ? {} : { ownerHandle: skillRef.owner };
  for (const [name, value] of Object.entries({ ...query, ...owner })) url.searchParams.set(name, value);
  // Reading needs no token; a token raises the rate limit.
  const headers = deps.registryToken === undefined ? {} : { Authorization: `Bearer ${deps.registryToken}` };
  const response = await askOutside(deps.fetch, url.href, { ...deps.limits, headers });
  if (response.status === 200) return response;
  refuseIf(statusObjection(response.status), skillRef, deps);
  throw statusError(response, skillRef, deps);
}

function statusError({ status, headers }: SafeResponse, skillRef: RegistryRef, deps: DownloadDeps): IsopodError {
  const host = registryHost(deps);
  if (status === 404) {
    const hint = "Look for a mistake in the name or the version.";
    return new IsopodError("not_found", `${host} has no ${registryRefText(skillRef)} of that version.`, hint);
  }
  if (status === 409) {
    const message = `Several people have a skill '${skillRef.slug}' at ${host}.`;
    return new IsopodError("conflict", message, `Say whose: @owner/${skillRef.slug}.`, { reason: "ambiguous" });
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

function refuseIf(objection: RegistryObjection | undefined, skillRef: RegistryRef, deps: DownloadDeps): void {
  if (objection === undefined) return;
  const { reason, says, hint } = objection;
  throw new IsopodError(
    "forbidden",
    `${registryRefText(skillRef)} is not installed: ${registryHost(deps)} ${says}.`,
    hint,
    { reason },
  );
}

function parseRegistryRef(ref: string): RegistryRef {
  const [, owner, slug] = SLUG.exec(ref) ?? [];
  if (slug === undefined)
    throw badName("That is no name of a skill at a registry.", "Write it as slug or @owner/slug.");
  return { slug, owner };
}

function registryRefText({ slug, owner }: RegistryRef): string {
  return owner === undefined ? slug : `@${owner}/${slug}`;
}

function registryHost({ registryUrl }: DownloadDeps): string {
  return new URL(registryUrl).host;
}

function badName(message: string, hint: string): IsopodError {
  return new IsopodError("invalid_request", message, hint);
}

function unexpectedAnswer(deps: DownloadDeps): IsopodError {
  const hint = "Check skills.install.registryUrl: it has to speak ClawHub's API.";
  return new IsopodError("unavailable", `The answer of ${registryHost(deps)} is not what a registry says.`, hint);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The moderation fields of ClawHub's API that are used here. */
const moderation = z.object({
  isSuspicious: z.boolean().nullish(),
  isMalwareBlocked: z.boolean().nullish(),
  isPendingScan: z.boolean().nullish(),
  isHiddenByMod: z.boolean().nullish(),
  isRemoved: z.boolean().nullish(),
  verdict: z.string().nullish(),
});

/** `GET /api/v1/skills/{slug}`. `moderation` is absent if there is nothing to report. */
const skillAnswer = z.object({
  skill: z.object({ slug: z.string() }),
  latestVersion: z.object({ version: z.string() }).nullish(),
  moderation: moderation.nullish(),
});

/** `GET /api/v1/skills/{slug}/versions/{version}`. `security` is absent if the version was not scanned. */
const versionAnswer = z.object({
  version: z.object({
    version: z.string(),
    files: z.array(z.object({ path: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/i) })).nullish(),
    security: z.object({ status: z.string() }).nullish(),
  }),
});

export type Moderation = z.output<typeof moderation>;

/** Why a skill of a registry is refused. */
export interface RegistryObjection {
  /** A code for programs. */
  reason: "malicious" | "suspicious" | "pending_scan" | "withdrawn" | "not_scanned";
  /** The registry's verdict, as the end of a sentence. */
  says: string;
  hint: string;
}

const LOOK_YOURSELF = "If you trust it all the same: download it, look through it, and upload the archive.";
const MALICIOUS: RegistryObjection = {
  reason: "malicious",
  says: "has it blocked as malicious",
  hint: "Do not use it.",
};
const SUSPICIOUS: RegistryObjection = { reason: "suspicious", says: "marks it as suspicious", hint: LOOK_YOURSELF };
const PENDING: RegistryObjection = {
  reason: "pending_scan",
  says: "is still looking through it",
  hint: "Try again in some minutes.",
};
const WITHDRAWN: RegistryObjection = {
  reason: "withdrawn",
  says: "has taken it out of sight",
  hint: "Look for another skill.",
};
const NOT_SCANNED: RegistryObjection = {
  reason: "not_scanned",
  says: "could not look through it to the end",
  hint: LOOK_YOURSELF,
};

/** The objection of a registry's moderation to a skill, the most severe one. */
function moderationObjection(moderation: Moderation | null | undefined): RegistryObjection | undefined {
  if (!moderation) return undefined;
  const { verdict } = moderation;
  if (moderation.isMalwareBlocked || verdict === "malicious") return MALICIOUS;
  if (moderation.isRemoved || moderation.isHiddenByMod) return WITHDRAWN;
  if (moderation.isSuspicious || verdict === "suspicious") return SUSPICIOUS;
  return moderation.isPendingScan ? PENDING : undefined;
}

/** The objection of the scan of one version. A registry without scans raises none. */
function scanObjection(status: string | undefined): RegistryObjection | undefined {
  if (status === undefined || status === "clean") return undefined;
  if (status === "malicious") return MALICIOUS;
  if (status === "suspicious" || status === "review") return SUSPICIOUS;
  return status === "pending" ? PENDING : NOT_SCANNED;
}

/** The objection that an HTTP status of the registry stands for. */
function statusObjection(status: number): RegistryObjection | undefined {
  if (status === 403) return { ...WITHDRAWN, says: "has blocked it" };
  if (status === 410) return WITHDRAWN;
  return status === 423 ? PENDING : undefined;
}
