import { OpenAPIHono, type z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { agentOf } from "../config/agents.ts";
import { IsopodError } from "../lib/errors.ts";
import { installTargets } from "../services/skills/install-targets.ts";
import { noteSkillChange } from "../services/skills/note-skill-change.ts";
import type { SkillAction } from "../services/skills/skill-audit.ts";
import { writeSkillAudit } from "../services/skills/skill-audit.ts";
import { downloadDeps, installRules } from "../services/skills/skill-installs.ts";
import { downloadArchive, redownloadFrom } from "../skills/install/download.ts";
import { installSkill, type SourcedArchive } from "../skills/install/install-skill.ts";
import type { InstallTarget } from "../skills/install/install-target.ts";
import { installedView, removeSkill, updateSkill } from "../skills/install/installed-skill.ts";
import type { LockEntry } from "../skills/install/lock.ts";
import { MAX_ARCHIVE_BYTES } from "../skills/install/refusal.ts";
import { acceptSkill, verifySkill } from "../skills/install/verify-skill.ts";
import type { AppEnv } from "./context.ts";
import { onInvalid, withWorkspaceErrors } from "./errors.ts";
import { readBody } from "./request-body.ts";
import {
  acceptRoute,
  installBody,
  installRoute,
  installRouteInDocument,
  isJson,
  removeRoute,
  updateRoute,
  verifyRoute,
} from "./skill-installs-schema.ts";

/** The routes of `/v1/agents/{id}/skills` that change installed skills. */
export const skillInstallRoutes = new OpenAPIHono<AppEnv>({ defaultHook: onInvalid });

skillInstallRoutes.openAPIRegistry.registerPath(installRouteInDocument);

skillInstallRoutes.openapi({ ...installRoute, hide: true }, async (c) => {
  const { id } = c.req.valid("param");
  const query = c.req.valid("query");
  const { url, slug, version, path = query.path, ...options } = await jsonBody(c);
  const place = installPlace(c, id, options.global ?? query.global === "true");
  const replace = options.replace ?? query.replace === "true";
  const got = await withWorkspaceErrors(async () =>
    url === undefined && slug === undefined
      ? uploadedArchive(c, path)
      : downloadArchive(packageSource(url, slug, version), path, ports(c)),
  );
  const done = await withWorkspaceErrors(() =>
    installSkill(place, installRules(c.get("services")), { ...got, replace }),
  );
  const { outcome, folder, entry, notes } = done;
  const view = installedView(place, folder, entry);
  await recordChange(c, id, place, { action: outcome, folder, entry });
  return c.json({ ...view, outcome, notes }, outcome === "current" ? 200 : 201);
});

skillInstallRoutes.openapi(updateRoute, async (c) => {
  const { id, name } = c.req.valid("param");
  const { version, force = false, global = c.req.valid("query").global === "true" } = c.req.valid("json");
  const place = installPlace(c, id, global);
  const rules = installRules(c.get("services"));
  const done = await withWorkspaceErrors(() =>
    updateSkill(place, rules, name, { version, force }, redownloadFrom(ports(c))),
  );
  const { outcome, folder, entry, notes } = done;
  await recordChange(c, id, place, { action: outcome, folder, entry });
  return c.json({ ...installedView(place, folder, entry), outcome, notes }, 200);
});

skillInstallRoutes.openapi(removeRoute, async (c) => {
  const { id, name } = c.req.valid("param");
  const place = installPlace(c, id, c.req.valid("query").global === "true");
  const { folder, entry, left } = await withWorkspaceErrors(() => removeSkill(place, name));
  await recordChange(c, id, place, { action: "removed", folder, entry });
  const notes = left.map((path) => `\`${path}\` stays in the folder: it was not part of what was installed.`);
  return c.json({ ...installedView(place, folder, entry), outcome: "removed", notes }, 200);
});

skillInstallRoutes.openapi(verifyRoute, async (c) => {
  const { id, name } = c.req.valid("param");
  const place = installPlace(c, id, c.req.valid("query").global === "true");
  const { folder, entry, ok, seen, files } = await withWorkspaceErrors(() => verifySkill(place, name));
  return c.json({ ...installedView(place, folder, entry), ok, seen, files }, 200);
});

skillInstallRoutes.openapi(acceptRoute, async (c) => {
  const { id, name } = c.req.valid("param");
  const place = installPlace(c, id, c.req.valid("query").global === "true");
  const { seen } = c.req.valid("json");
  const { folder, entry } = await withWorkspaceErrors(() =>
    acceptSkill(place, installRules(c.get("services")), name, seen),
  );
  await recordChange(c, id, place, { action: "accepted", folder, entry });
  return c.json({ ...installedView(place, folder, entry), outcome: "accepted", notes: [] }, 200);
});

/** @throws IsopodError `not_found` where there is no such agent */
function installPlace(c: Context<AppEnv>, id: string, isGlobal: boolean): InstallTarget {
  const services = c.get("services");
  const { own, managed } = installTargets(agentOf(services.config, id), services);
  return isGlobal ? managed : own;
}

function ports(c: Context<AppEnv>) {
  return downloadDeps(c.get("services"));
}

function packageSource(url: string | undefined, slug: string | undefined, version: string | undefined) {
  if (url !== undefined && slug !== undefined) {
    throw new IsopodError("invalid_request", "Both `url` and `slug` are given.", "Say one of them.", { param: "slug" });
  }
  if (url === undefined) return { slug: slug ?? "", version };
  if (version === undefined) return { url };
  const hint = "Leave it out, or name a `slug`.";
  throw new IsopodError("invalid_request", "`version` is for skills of a registry.", hint, { param: "version" });
}

/** The fields of a JSON body; none where the body is an archive. @throws IsopodError `invalid_request` */
async function jsonBody(c: Context<AppEnv>): Promise<z.output<typeof installBody>> {
  if (!isJson(c.req.header("Content-Type"))) return {};
  const read = installBody.safeParse(parseJson(await c.req.text()));
  onInvalid(read);
  return read.data ?? {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new IsopodError("invalid_request", "The body is no JSON.", "See /openapi.json for what is accepted.");
  }
}

async function uploadedArchive(c: Context<AppEnv>, path: string | undefined): Promise<SourcedArchive> {
  const type = c.req.header("Content-Type") ?? "";
  if (/^(?:multipart\/|application\/json\b|application\/x-www-form-urlencoded)/i.test(type)) {
    const hint = "Send the bytes of a .zip or .tar.gz as the body, or JSON with `url` or `slug`.";
    throw new IsopodError("invalid_request", "The request does not say what is to be installed.", hint);
  }
  return { archive: await readBody(c.req.raw, MAX_ARCHIVE_BYTES), source: { kind: "upload" }, path };
}

/** Makes sessions look for skills again, and adds the change to the audit trail. */
async function recordChange(
  c: Context<AppEnv>,
  agentId: string,
  place: InstallTarget,
  { action, folder, entry }: { action: SkillAction; folder: string; entry: LockEntry },
): Promise<void> {
  if (action === "current") return;
  await noteSkillChange(c.env);
  const by = `api:${c.get("caller").via}`;
  await writeSkillAudit(c.env.DB, { agentId, by, action, scope: place.scope, folder, entry }, Date.now());
}
