import { expect, test } from "vitest";
import { channelsConfig } from "../../../src/channels/index.ts";
import { configSchema } from "../../../src/config/config-schema.ts";
import { fieldPath } from "../../../src/config/field-path.ts";
import { importOpenClaw } from "../../../src/migrate/openclaw/import-openclaw.ts";
import { modelsConfig } from "../../../src/models/config.ts";
import { hooksConfig } from "../../../src/plugins/config.ts";
import { PLUGINS } from "../../../src/plugins/index.ts";
import { pick, randomFrom } from "../../prompt/random.ts";

const schema = configSchema(modelsConfig, channelsConfig(), hooksConfig(PLUGINS));

const SEED = 7;
const ROUNDS = 150;

/** Fields of OpenClaw's, of every age, as paths with `/` between names. */
const FIELDS = [
  ..."agent/workspace agent/model agent/model/primary agent/modelFallbacks/0 agent/timeoutSeconds agent/bash/ask".split(
    " ",
  ),
  ..."agent/elevated/enabled agent/sandbox/tools/allow/0 agent/subagents/maxConcurrent agent/maxConcurrent".split(" "),
  ..."agents/defaults/workspace agents/defaults/model agents/defaults/model/primary agents/defaults/timeoutSeconds".split(
    " ",
  ),
  ..."agents/defaults/models/a/alias agents/defaults/models/a/params/x agents/defaults/subagents/maxConcurrent".split(
    " ",
  ),
  ..."agents/defaults/contextPruning/mode agents/defaults/contextPruning/softTrim/maxChars memorySearch/provider".split(
    " ",
  ),
  ..."memory/search/provider agents/defaults/memorySearch/provider agents/defaults/systemAgent/agentId".split(" "),
  ..."agents/list/0/id agents/list/0/default agents/list/0/tools/bash/ask agents/list/1/id agents/list/1/workspace".split(
    " ",
  ),
  ..."agents/entries/ada/name agents/entries/ada/id agents/entries/bob agents/entries/bob/tools/exec/mode".split(" "),
  ..."identity/name identity/theme routing/agents/cy/name routing/defaultAgentId routing/queue/mode routing/allowFrom/0".split(
    " ",
  ),
  ..."messages/queue/mode messages/queue/byProvider/telegram messages/tts/auto tts/auto bindings/0/agentId bindings/0/type".split(
    " ",
  ),
  ..."bindings/0/match/channel bindings/0/match/provider session/idleMinutes session/reset/mode session/mainKey".split(
    " ",
  ),
  ..."channels/telegram/enabled channels/telegram/botToken channels/telegram/dmPolicy channels/telegram/allowFrom/0".split(
    " ",
  ),
  ..."channels/telegram/accounts/a/dmPolicy channels/telegram/accounts/a/enabled channels/telegram/accounts/b/botToken".split(
    " ",
  ),
  ..."channels/telegram/accounts/default/botToken channels/telegram/groups/-1/requireMention channels/telegram/streaming".split(
    " ",
  ),
  ..."channels/telegram/groups/-1/systemPrompt channels/defaults/groupPolicy channels/slack/botToken telegram/dmPolicy".split(
    " ",
  ),
  ..."models/mode models/providers/p/api models/providers/p/baseUrl models/providers/p/apiKey models/providers/q/baseUrl".split(
    " ",
  ),
  ..."models/providers/p/models/0/id models/providers/p/models/0/api models/providers/q/headers/Authorization".split(
    " ",
  ),
  ..."auth/profiles/x/provider auth/profiles/x/mode auth/order/p/0 tools/exec/mode tools/exec/security tools/bash/ask".split(
    " ",
  ),
  ..."tools/deny/0 gateway/port gateway/auth/token env/A_KEY env/shellEnv/enabled meta/x wizard/y $include hooks/token".split(
    " ",
  ),
  ..."hooks/internal/entries/none/enabled skills/entries/s/apiKey commands/ownerAllowFrom/0 frob agents/defaults/frob".split(
    " ",
  ),
];

/** Values that a field may have, fitting or not. */
const VALUES = [
  ..."main ada x p p/m local auto full steer queue open disabled block oauth api_key telegram ~/w /w ollama".split(" "),
  ...[
    "https://p.test",
    "$".concat("{A_KEY}"),
    "$A_KEY",
    "A b",
    "",
    "openai-completions",
    "anthropic-messages",
    "cache-ttl",
    "per-sender",
  ],
  ...[
    0,
    1,
    60,
    true,
    false,
    null,
    {},
    [],
    { source: "env", provider: "default", id: "A_KEY" },
    { source: "file", id: "/x" },
  ],
];

test("whatever a document says, each of its values is told of, and what is left is valid", () => {
  const random = randomFrom(SEED);
  for (let round = 0; round < ROUNDS; round++) {
    const document = Array.from({ length: 1 + Math.floor(random() * 24) }).reduce<object>((made) => {
      return set(made, pick(FIELDS, random).split("/"), pick(VALUES, random));
    }, {});
    const text = JSON.stringify(document);
    const report = importOpenClaw(text, schema);
    const told = new Set([
      ...report.mapped.map(({ from }) => from),
      ...[...report.changed, ...report.unknown, ...report.refused].map(({ path }) => path),
    ]);
    expect({ text, untold: valuesIn(document, []).filter((path) => !isTold(path, told)) }).toEqual({
      text,
      untold: [],
    });
    expect({ text, valid: schema.safeParse(report.document).success }).toEqual({ text, valid: true });
  }
});

/** Sets a value in a document; where something else is in the way, the document stays as it is. */
function set(document: any, [name = "", ...rest]: string[], value: unknown): any {
  const isFolder = typeof document === "object" && document !== null;
  const isEntry = /^\d+$/.test(name);
  const folder = isFolder && Object.keys(document).length === 0 ? (isEntry ? [] : {}) : document;
  if (!isFolder || Array.isArray(folder) !== isEntry || (isEntry && Number(name) > folder.length)) return document;
  const copy = isEntry ? [...folder] : { ...folder };
  copy[name] = rest.length === 0 ? (copy[name] ?? value) : set(copy[name] ?? {}, rest, value);
  return copy;
}

/** The paths of the values in a document; of what is empty there is nothing to tell. */
function valuesIn(value: unknown, path: (string | number)[]): string[] {
  if (typeof value !== "object" || value === null) return [fieldPath(path)];
  if ("source" in value) return [fieldPath(path)];
  const isArray = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) => valuesIn(inner, [...path, isArray ? Number(key) : key]));
}

function isTold(path: string, told: ReadonlySet<string>): boolean {
  return [...told].some((said) => path === said || path.startsWith(`${said}.`) || path.startsWith(`${said}[`));
}
