import type { HookMapping, WebhookRules } from "../config/automation-schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { jsonAt } from "../lib/json-path.ts";

/** A request to `/hooks/<path>`. Header names are in lower case. */
export interface HookRequest {
  /** What follows the path of hooks. */
  path: string;
  body: JsonObject;
  headers?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
}

type Rest = Partial<
  Pick<
    HookMapping,
    "agentId" | "sessionMode" | "deliver" | "channel" | "to" | "model" | "thinking" | "timeoutSeconds" | "trusted"
  >
>;

/** What a request starts. */
export type HookAction =
  /** The main session is told a text, now or with its next heartbeat. */
  | { kind: "wake"; text: string; mode: "now" | "next-heartbeat"; agentId?: string }
  /** A run. */
  | ({ kind: "agent"; message: string; name?: string; wakeMode: "now" | "next-heartbeat"; sessionKey?: string } & Rest);

/** What a mapping makes of a request. */
export type MappedRequest =
  | { matched: false }
  | { matched: true; mapping: string; actions: HookAction[] }
  | { matched: true; mapping: string; refused: string };

/** A mapping as it is written, before defaults are applied. */
type Mapping = Partial<HookMapping>;

/** Mappings that `hooks.presets` names. */
const PRESETS: Readonly<Record<string, Mapping>> = {
  /** Gmail's push messages, as `gog gmail watch serve` sends them. */
  gmail: {
    id: "gmail",
    match: { path: "gmail" },
    name: "Gmail",
    each: "messages",
    sessionKey: "hook:gmail:{{messages[0].id}}",
    messageTemplate:
      "New email from {{messages[0].from}}\nSubject: {{messages[0].subject}}\n{{messages[0].snippet}}\n{{messages[0].body}}",
  },
  /** GitHub's webhooks, with what most events have. */
  github: {
    id: "github",
    match: { path: "github" },
    name: "GitHub",
    sessionKey: "hook:github:{{repository.id}}",
    messageTemplate:
      "GitHub event {{headers.x-github-event}} {{action}} in {{repository.full_name}} by {{sender.login}}\n" +
      "{{issue.title}}{{pull_request.title}}{{head_commit.message}}\n{{issue.html_url}}{{pull_request.html_url}}{{compare}}\n{{comment.body}}",
  },
  /** Any JSON, whole. */
  json: { id: "json", match: { path: "json" }, name: "Webhook", messageTemplate: "{{payload}}" },
};

/** What the first mapping that fits makes of a request; own mappings come before presets. */
export function mapHookRequest(
  { mappings = [], presets = [] }: Partial<Pick<WebhookRules, "mappings" | "presets">>,
  request: HookRequest,
): MappedRequest {
  const known: readonly Mapping[] = [...mappings, ...presets.flatMap((name) => PRESETS[name] ?? [])];
  const at = known.findIndex((mapping) => fits(mapping, request));
  const mapping = known[at];
  if (mapping === undefined) return { matched: false };
  const actions = requestsOf(mapping, request).map((one) => actionOf(mapping, one));
  const refused = actions.find((action) => typeof action === "string");
  const name = mapping.id ?? `mapping-${at + 1}`;
  if (typeof refused === "string") return { matched: true, mapping: name, refused };
  return { matched: true, mapping: name, actions: actions.filter((action) => typeof action !== "string") };
}

function fits({ match }: Mapping, { path, body }: HookRequest): boolean {
  const wanted = match?.path === undefined ? "" : trimSlashes(match.path);
  if (wanted !== "" && wanted !== trimSlashes(path)) return false;
  const source = match?.source?.trim() ?? "";
  return source === "" || body.source === source;
}

function trimSlashes(path: string): string {
  return path.trim().replace(/^\/+|\/+$/g, "");
}

/** A request for each entry of the list that a mapping names, in which that list has this entry alone. */
function requestsOf({ each }: Mapping, request: HookRequest): HookRequest[] {
  const list = each === undefined ? undefined : request.body[each];
  if (each === undefined || !Array.isArray(list) || list.length < 2) return [request];
  return list.map((entry) => ({ ...request, body: { ...request.body, [each]: [entry] } }));
}

function actionOf(mapping: Mapping, request: HookRequest): HookAction | string {
  const { action = "agent", wakeMode = "now", agentId } = mapping;
  const named = agentId === undefined ? {} : { agentId };
  if (action === "wake") {
    const text = fill(mapping.textTemplate ?? "", request);
    return text.trim() === "" ? "hook mapping requires text" : { kind: "wake", text, mode: wakeMode, ...named };
  }
  const message = fill(mapping.messageTemplate ?? "", request);
  if (message.trim() === "") return "hook mapping requires message";
  const filled = {
    name: fillOptional(mapping.name, request),
    sessionKey: fillOptional(mapping.sessionKey, request),
    to: fillOptional(mapping.to, request),
    model: fillOptional(mapping.model, request),
  };
  const { deliver, channel, thinking, timeoutSeconds, trusted } = mapping;
  const fixed = { deliver, channel, thinking, timeoutSeconds, trusted };
  return {
    kind: "agent",
    message,
    wakeMode,
    sessionMode: mapping.sessionMode ?? "isolated",
    ...named,
    ...withoutUndefined({ ...filled, ...fixed }),
  };
}

type Defined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}

function fillOptional(template: string | undefined, request: HookRequest): string | undefined {
  return template === undefined ? undefined : fill(template, request).trim() || undefined;
}

/** Fills in `{{path.to[0].field}}`; what is missing is nothing, and what is no text is its JSON. What is filled in is text. */
function fill(template: string, request: HookRequest): string {
  return template.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, path: string) => {
    const value = valueAt(path, request);
    if (value === undefined || value === null) return "";
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function valueAt(path: string, { path: requestPath, body, headers = {}, query = {} }: HookRequest): unknown {
  if (path === "path") return requestPath;
  if (path === "payload") return body;
  const [, scope = "", rest = ""] = /^(headers|query|payload)\.(.+)$/.exec(path) ?? [];
  if (scope === "headers") return Object.hasOwn(headers, rest.toLowerCase()) ? headers[rest.toLowerCase()] : undefined;
  if (scope === "query") return Object.hasOwn(query, rest) ? query[rest] : undefined;
  return jsonAt(body, scope === "payload" ? rest : path);
}
