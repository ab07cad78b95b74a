import { OpenAPIHono, type z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { agentOf } from "../config/agents.ts";
import { IsopodError } from "../lib/errors.ts";
import { noteSkillChange } from "../services/skills/note-skill-change.ts";
import { downloadDeps, installRules, installTargets } from "../services/skills/skill-installs.ts";
import { downloadArchive, redownloadFrom } from "../skills/install/download.ts";
import { installSkill, type SourcedArchive } from "../skills/install/install-skill.ts";
import type { InstallTarget } from "../skills/install/install-target.ts";
import { installedView, removeSkill, updateSkill } from "../skills/install/installed-skill.ts";
import type { LockEntry } from "../skills/install/lock.ts";
import { MAX_ARCHIVE_BYTES } from "../skills/install/refusal.ts";
import { acceptSkill, verifySkill } from "../skills/install/verify-skill.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid } from "./errors.ts";
import { readBody } from "./read-body.ts";
import { type SkillDeed, writeSkillAudit } from "./skill-audit.ts";
import {
  acceptRoute,
  installRoute,
  installRouteAsTold,
  installWords,
  isJson,
  removeRoute,
  updateRoute,
  verifyRoute,
} from "./skill-installs-schema.ts";
import { httpErrorOf } from "./workspace.ts";

/** `/v1/agents/{id}/skills`, as far as it changes what is installed. */
export const skillInstallRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

skillInstallRoutes.openAPIRegistry.registerPath(installRouteAsTold);

skillInstallRoutes.openapi({ ...installRoute, hide: true }, async (c) => {
  const { id } = c.req.valid("param");
  const query = c.req.valid("query");
  const { url, slug, version, path = query.path, ...words } = await wordsOf(c);
  const place = placeOf(c, id, words.global ?? query.global === "true");
  const replace = words.replace ?? query.replace === "true";
  const got = await translated(async () =>
    url === undefined && slug === undefined
      ? uploaded(c, path)
      : downloadArchive(wanted(url, slug, version), path, ports(c)),
  );
  const done = await translated(() => installSkill(place, installRules(c.get("services")), { ...got, replace }));
  const { outcome, folder, entry, notes } = done;
  const view = installedView(place, folder, entry);
  await tell(c, id, place, { deed: outcome, folder, entry });
  return c.json({ ...view, outcome, notes }, outcome === "current" ? 200 : 201);
});

skillInstallRoutes.openapi(updateRoute, async (c) => {
  const { id, name } = c.req.valid("param");
  const { version, force = false, global = c.req.valid("query").global === "true" } = c.req.valid("json");
  const place = placeOf(c, id, global);
  const rules = installRules(c.get("services"));
  const done = await translated(() => updateSkill(place, rules, name, { version, force }, redownloadFrom(ports(c))));
  const { outcome, folder, entry, notes } = done;
  await tell(c, id, place, { deed: outcome, folder, entry });
  return c.json({ ...installedView(place, folder, entry), outcome, notes }, 200);
});

skillInstallRoutes.openapi(removeRoute, async (c) => {
  const { id, name } = c.req.valid("param");
  const place = placeOf(c, id, c.req.valid("query").global === "true");
  const { folder, entry, left } = await translated(() => removeSkill(place, name));
  await tell(c, id, place, { deed: "removed", folder, entry });
  const notes = left.map((path) => `\`${path}\` stays in the folder: it was not part of what was installed.`);
  return c.json({ ...installedView(place, folder, entry), outcome: "removed", notes }, 200);
});

skillInstallRoutes.openapi(verifyRoute, async (c) => {
  const { id, name } = c.req.valid("param");
  const place = placeOf(c, id, c.req.valid("query").global === "true");
  const { folder, entry, ok, seen, files } = await translated(() => verifySkill(place, name));
  return c.json({ ...installedView(place, folder, entry), ok, seen, files }, 200);
});

skillInstallRoutes.openapi(acceptRoute, async (c) => {
  const { id, name } = c.req.valid("param");
  const place = placeOf(c, id, c.req.valid("query").global === "true");
  const { seen } = c.req.valid("json");
  const { folder, entry } = await translated(() => acceptSkill(place, installRules(c.get("services")), name, seen));
  await tell(c, id, place, { deed: "accepted", folder, entry });
  return c.json({ ...installedView(place, folder, entry), outcome: "accepted", notes: [] }, 200);
});

/** @throws IsopodError `not_found` where there is no such agent */
function placeOf(c: Context<AppEnv>, id: string, isGlobal: boolean): InstallTarget {
  const services = c.get("services");
  const { own, managed } = installTargets(agentOf(services.config, id), services);
  return isGlobal ? managed : own;
}

function ports(c: Context<AppEnv>) {
  return downloadDeps(c.get("services"));
}

function wanted(url: string | undefined, slug: string | undefined, version: string | undefined) {
  if (url !== undefined && slug !== undefined) {
    throw new IsopodError("invalid_request", "Both `url` and `slug` are given.", "Say one of them.", { param: "slug" });
  }
  if (url === undefined) return { slug: slug ?? "", version };
  if (version === undefined) return { url };
  const hint = "Leave it out, or name a `slug`.";
  throw new IsopodError("invalid_request", "`version` is for skills of a registry.", hint, { param: "version" });
}

/** What the body says where it is JSON. @throws IsopodError `invalid_request` */
async function wordsOf(c: Context<AppEnv>): Promise<z.output<typeof installWords>> {
  if (!isJson(c.req.header("Content-Type"))) return {};
  const read = installWords.safeParse(jsonOf(await c.req.text()));
  onInvalid(read);
  return read.data ?? {};
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new IsopodError("invalid_request", "The body is no JSON.", "See /openapi.json for what is accepted.");
  }
}

async function uploaded(c: Context<AppEnv>, path: string | undefined): Promise<SourcedArchive> {
  const type = c.req.header("Content-Type") ?? "";
  if (/^(?:multipart\/|application\/json\b|application\/x-www-form-urlencoded)/i.test(type)) {
    const hint = "Send the bytes of a .zip or .tar.gz as the body, or JSON with `url` or `slug`.";
    throw new IsopodError("invalid_request", "The request does not say what is to be installed.", hint);
  }
  return { archive: await readBody(c.req.raw, MAX_ARCHIVE_BYTES), source: { kind: "upload" }, path };
}

/** After a change: sessions look again, and the audit trail has it. */
async function tell(
  c: Context<AppEnv>,
  agentId: string,
  place: InstallTarget,
  { deed, folder, entry }: { deed: SkillDeed; folder: string; entry: LockEntry },
): Promise<void> {
  if (deed === "current") return;
  await noteSkillChange(c.env);
  const by = `api:${c.get("caller")}`;
  await writeSkillAudit(c.env.DB, { agentId, by, deed, scope: place.scope, folder, entry }, Date.now());
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof WorkspaceError ? httpErrorOf(thrown, false) : thrown;
  }
}
