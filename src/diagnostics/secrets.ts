import { fieldPath } from "../config/field-path.ts";
import { idleFields } from "../config/schema-lookup.ts";
import { jsonSchemaOf } from "../config/schema-node.ts";
import { secretRef } from "../config/secret-ref.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { isLocalServer } from "../models/local-server.ts";
import { DATA_KEY_HINT, DATA_KEY_VARIABLE, readDataKey } from "../security/data-key.ts";
import { wholeSchema } from "../services/config-schema.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

const GOOD_TOKEN_CHARS = 24;
const WEAK_TOKEN_CHARS = 8;

/** Checks that the configured secrets are set, and that the token is hard to guess. Reports names only. */
export function examineSecrets({ configuration, secret }: DiagnosticsContext): Check[] {
  const { document } = configuration;
  const idle = idleFields(jsonSchemaOf(wholeSchema), document).map(({ path }) => path);
  const named = new Map(referencesIn(document, []).map((reference) => [reference.id, reference]));
  const checks = [...named.values()].map(({ id, path }): Check => {
    const head = { id: `secrets.${id}`, area: "secrets", path: fieldPath(path) } as const;
    if (secret(id) !== undefined) return { ...head, status: "ok", message: `${id} is set.` };
    // Auth profiles and skills without their secret are skipped, a model server of one's own is asked without it, and
    // fields without effect do not use theirs.
    const isOptional =
      path[0] === "auth" ||
      path[0] === "skills" ||
      (path[0] === "models" && isOfLocalServer(path, document)) ||
      idle.some((one) => one.startsWith(`${head.path}.`));
    return {
      ...head,
      status: isOptional ? "warn" : "fail",
      message: `${id} is not set, and the configuration refers to it.`,
      fix: `wrangler secret put ${id}; locally, a line in .dev.vars.`,
    };
  });
  return [
    examineToken(secret("ISOPOD_TOKEN") ?? ""),
    examineDataKey(secret(DATA_KEY_VARIABLE)),
    ...checks,
    ...examineHooks(document),
  ];
}

/** Whether a path is that of a field of a model provider whose server is one's own. */
function isOfLocalServer([, , name]: readonly (string | number)[], document: JsonObject): boolean {
  const providers = isJsonObject(document.models) ? document.models.providers : undefined;
  const provider = isJsonObject(providers) && typeof name === "string" ? providers[name] : undefined;
  return isJsonObject(provider) && typeof provider.baseUrl === "string" && isLocalServer(provider.baseUrl);
}

/** Webhooks that are on and have no token are all refused. */
function examineHooks({ hooks }: JsonObject): Check[] {
  if (!isJsonObject(hooks) || hooks.enabled !== true || hooks.token !== undefined) return [];
  const path = "hooks.token";
  const message = "hooks.enabled is set and hooks.token is not: every webhook is refused.";
  return [
    { id: "secrets.hooks", area: "secrets", path, status: "fail", message, fix: "Name a secret in hooks.token." },
  ];
}

function examineToken(token: string): Check {
  const head = { id: "secrets.ISOPOD_TOKEN", area: "secrets" } as const;
  const isVaried = new Set(token).size >= Math.min(token.length, 10);
  if (token.length >= GOOD_TOKEN_CHARS && isVaried) {
    return { ...head, status: "ok", message: "ISOPOD_TOKEN is set, and long enough." };
  }
  return {
    ...head,
    status: token.length < WEAK_TOKEN_CHARS ? "fail" : "warn",
    message: `ISOPOD_TOKEN can be guessed, and it grants full access.`,
    fix: `Use ${GOOD_TOKEN_CHARS} or more random characters (openssl rand -base64 32): wrangler secret put ISOPOD_TOKEN.`,
  };
}

function examineDataKey(value: string | undefined): Check {
  const head = { id: `secrets.${DATA_KEY_VARIABLE}`, area: "secrets" } as const;
  const key = readDataKey(value);
  if (key === "malformed") {
    const message = `${DATA_KEY_VARIABLE} is not 32 bytes in base64: it is not used.`;
    return { ...head, status: "fail", message, fix: DATA_KEY_HINT };
  }
  if (key !== undefined) return { ...head, status: "ok", message: `${DATA_KEY_VARIABLE} is set.` };
  return {
    ...{ ...head, status: "warn", fix: DATA_KEY_HINT },
    message: `${DATA_KEY_VARIABLE} is not set: channels get no links to files, their short-lived tokens are not kept, and no MCP server can be signed in to.`,
  };
}

interface Reference {
  id: string;
  path: (string | number)[];
}

/** The valid secret references; an invalid one is skipped, because it may contain the secret itself. */
function referencesIn(value: Json, path: (string | number)[]): Reference[] {
  if (Array.isArray(value)) return value.flatMap((inner, at) => referencesIn(inner, [...path, at]));
  if (!isJsonObject(value)) return [];
  if (secretRef.safeParse(value).success) return [{ id: String(value.id), path }];
  return Object.entries(value).flatMap(([key, inner]) => referencesIn(inner, [...path, key]));
}
