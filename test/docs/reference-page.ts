import {
  boundsOf,
  formsOf,
  isOpenToAgent,
  isSecret,
  jsonSchemaOf,
  type SchemaNode,
  statusOf,
  valuesOf,
} from "../../src/config/schema-node.ts";
import { lazy } from "../../src/lib/lazy.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";

/** What connects the agents with the world, on a page of its own: one page would be too long to be read at once. */
const CONNECTIONS = ["models", "channels", "hooks"];

const TITLE = `# Configuration reference

Every field of the configuration, with its default and what it does; those of models, channels and hooks are in
[Connections](configuration-connections.md).
`;

const CONNECTIONS_TITLE = `# Configuration reference: connections

The fields of models, channels and hooks, with their defaults and what they do. All others are in
[Configuration reference](configuration-reference.md), which also explains how to read this page.
`;

const HEAD = `
This page is made from the schema that the configuration is checked with. \`<name>\` stands for a name of your own, \`[]\` for each
entry of a list. A field without a default may be left out. *Planned* fields, and those below one, are accepted and do
nothing yet; *unused* ones are OpenClaw's, are accepted, and have no use here. The agent may write the fields marked *Agent may write*, each
by itself, and no others. A *secret* is a name: \`{ source: "env", id: "NAME" }\`. The fields of a channel's account may also stand right
below the channel, which then has one account, \`default\`. How to change the configuration: [Configuration](configuration.md).
`;

/** A field, and where it is. */
interface Field {
  /** As the page writes it: `agents.list[].model`. */
  path: string;
  /** The names on the way to it, `*` for any. */
  steps: readonly string[];
  node: SchemaNode;
}

/** The pages that list every field, made from the schema, by their files. */
export function referencePages(): Record<string, string> {
  const [connections, others] = [true, false].map((isOne) =>
    rootFields()
      .filter(({ path }) => CONNECTIONS.includes(path) === isOne)
      .map((field) => `## ${field.path}\n\n${linesOf(field, undefined).join("\n")}\n`),
  );
  return {
    "configuration-reference.md": [`${TITLE}${HEAD}`, ...(others ?? [])].join("\n"),
    "configuration-connections.md": [CONNECTIONS_TITLE, ...(connections ?? [])].join("\n"),
  };
}

/** Every field that a configuration may have, by its path as the page writes it, and whether it does anything. */
export function configFields(): Map<string, "live" | "idle"> {
  return new Map(rootFields().flatMap(statesOf));
}

function rootFields(): Field[] {
  return childrenOf({ path: "", steps: [], node: jsonSchemaOf(wholeSchema) });
}

function statesOf(field: Field): [string, "live" | "idle"][] {
  return [[field.path, statusOf(field.node) === undefined ? "live" : "idle"], ...childrenOf(field).flatMap(statesOf)];
}

/** @param above the status of a field above, which holds for this one, too */
function linesOf(field: Field, above: string | undefined): string[] {
  const status = statusOf(field.node) ?? above;
  const marks = [
    ...(status === undefined || status === above ? [] : [`${status[0]?.toUpperCase()}${status.slice(1)}`]),
    ...(isOpenToAgent(field.node) ? ["Agent may write"] : []),
  ];
  const line = `${lineOf(field)}${marks.map((mark) => ` *${mark}.*`).join("")}`;
  const shared = sharedWith(field);
  if (shared !== undefined) return [`${line} Fields as in \`${shared}\`.`];
  const { own, shared: common } = ofAccount(field, withoutRepeats(childrenOf(field)));
  return [line, ...own.flatMap((child) => linesOf(child, status)), ...common];
}

/** The fields of a channel's accounts: its own, and a line that names those which are as another channel's. */
function ofAccount({ steps, path }: Field, fields: Field[]): { own: Field[]; shared: string[] } {
  if (steps.length !== 3 || steps[0] !== "channels" || steps[2] !== "accounts" || path === `${EXAMPLE}.accounts`) {
    return { own: fields, shared: [] };
  }
  const known = new Map(accountsOfExample().map(({ steps: [, , ...rest], node }) => [rest.join("."), node]));
  const isShared = ({ steps: [, , ...rest], node }: Field) =>
    JSON.stringify(known.get(rest.join("."))) === JSON.stringify(node);
  const names = fields.filter(isShared).map(({ steps: at }) => `\`${at.at(-1)}\``);
  const line = `- \`${path}.<name>\` also has these fields of \`${EXAMPLE}.accounts.<name>\`: ${names.join(", ")}.`;
  return { own: fields.filter((field) => !isShared(field)), shared: names.length === 0 ? [] : [line] };
}

/** The channel whose fields are described in full. */
const EXAMPLE = "channels.telegram";

const accountsOfExample = lazy(() => {
  const channels = rootFields().find(({ path }) => path === "channels");
  const example = channels && childrenOf(channels).find(({ path }) => path === EXAMPLE);
  const accounts = example && childrenOf(example).find(({ path }) => path === `${EXAMPLE}.accounts`);
  return accounts === undefined ? [] : childrenOf(accounts);
});

/** The fields directly below one, of all its forms, each once. A secret has none of its own. */
function childrenOf({ path, steps, node }: Field): Field[] {
  const found = new Map<string, Field>();
  for (const form of formsOf(node)) {
    if (isSecret(form)) continue;
    const before = path === "" ? "" : `${path}.`;
    const fields = [
      ...Object.entries(form.properties ?? {}).map(([name, child]) =>
        fieldAt(`${before}${name}`, [...steps, name], child),
      ),
      ...inner(fieldAt(`${before}<name>`, [...steps, "*"], form.additionalProperties)),
      ...inner(fieldAt(`${path}[]`, [...steps, "*"], Array.isArray(form.items) ? undefined : form.items)),
    ];
    for (const field of fields) if (field !== undefined && !found.has(field.path)) found.set(field.path, field);
  }
  return [...found.values()];
}

/** Fields without those of one account that may stand beside `accounts`. */
function withoutRepeats(fields: Field[]): Field[] {
  const accounts = fields.find(({ steps }) => steps[0] === "channels" && steps.at(-1) === "accounts");
  return accounts === undefined ? fields : [accounts];
}

function fieldAt(path: string, steps: string[], node: SchemaNode | boolean | undefined): Field | undefined {
  return typeof node === "object" ? { path, steps, node } : undefined;
}

/** What stands in a list or under names: itself where it says what it is, else what is below it. */
function inner(field: Field | undefined): Field[] {
  if (field === undefined) return [];
  return field.node.description === undefined ? childrenOf(field) : [field];
}

/** Where an agent's own settings have the same fields as those that all share. */
function sharedWith({ path, node }: Field): string | undefined {
  if (/^channels\.(?!defaults\.).*\.heartbeatVisibility$/.test(path)) return "channels.defaults.heartbeatVisibility";
  const [, own] = /^agents\.list\[\]\.([\w.]+)$/.exec(path) ?? [];
  const fields = Object.keys(node.properties ?? {});
  if (own === undefined || fields.length <= 2) return undefined;
  const known = configFields();
  const places = [`agents.defaults.${own}`, `messages.${own}`, own];
  return places.find((place) => fields.every((name) => known.has(`${place}.${name}`)));
}

function lineOf({ path, node }: Field): string {
  const { description = "" } = node;
  const fallback = "default" in node && !isEmpty(node.default) ? `default \`${JSON.stringify(node.default)}\`` : "";
  const what = [kindOf(node), fallback].filter((part) => part !== "").join(", ");
  return `- \`${path}\`${what === "" ? "" : ` (${what})`}${description === "" ? "" : `: ${description}`}`;
}

function kindOf(node: SchemaNode): string {
  return [...new Set(formsOf(node).map(kindOfForm))].filter((kind) => kind !== "").join(" or ");
}

function kindOfForm(form: SchemaNode): string {
  if (isSecret(form)) return "secret";
  const values = valuesOf(form);
  if (values.length > 0) return values.map((value) => `\`${String(value)}\``).join(", ");
  switch (form.type) {
    case "array": {
      const entries = typeof form.items === "object" && !Array.isArray(form.items) ? kindOf(form.items) : "";
      return entries === "" ? "list" : `list of ${entries}`;
    }
    case "object":
      return typeof form.additionalProperties === "object" && form.properties === undefined ? "by name" : "";
    case "integer":
    case "number":
      return `number${rangeOf(boundsOf(form))}`;
    case "string":
      return form.format === "uri" ? "address" : "text";
    default:
      return [form.type ?? ""].flat().join(" or ");
  }
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Record<string, unknown>): string {
  const from = minimum === undefined ? exclusiveMinimum : minimum;
  const above = minimum === undefined ? " above" : " from";
  return `${from === undefined ? "" : `${above} ${from}`}${maximum === undefined ? "" : ` to ${maximum}`}`;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
