import { z } from "zod";
import { wholeSchema } from "../../src/session/configuration/whole-schema.ts";

/** What JSON Schema says of a field, as far as it is of interest here. */
interface Node {
  type?: string;
  description?: string;
  /** `planned` or `unused`, where the field does nothing. */
  status?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
}

const HEAD = `# Configuration reference

Every field of the configuration, with its default and what it does.

This page is made from the schema that the configuration is checked with. \`<name>\` stands for a name of your own, \`[]\` for each
entry of a list. A field without a default may be left out. *Planned* fields, and those below one, are accepted and do
nothing yet; *unused* ones are OpenClaw's, are accepted, and have no use here. How to change the configuration: [Configuration](configuration.md).
`;

/** The page that lists every field, made from the schema. */
export function referencePage(): string {
  const root = rootSchema();
  const parts = Object.entries(root.properties ?? {}).map(
    ([name, node]) =>
      `## ${name}\n\n${[lineOf(name, node), ...linesBelow(name, node, root, node.status)].join("\n")}\n`,
  );
  return [HEAD, ...parts].join("\n");
}

/** Every field that a configuration may have, by its path as the page writes it, and whether it does anything. */
export function configFields(): Map<string, "live" | "idle"> {
  const fields = Object.entries(rootSchema().properties ?? {});
  return new Map(fields.flatMap(([name, node]) => fieldsFrom(name, node)));
}

function rootSchema(): Node {
  return z.toJSONSchema(wholeSchema, { io: "output", unrepresentable: "any" }) as Node;
}

function fieldsFrom(path: string, node: Node): [string, "live" | "idle"][] {
  const below = childrenOf(path, node).flatMap(([name, child]) => fieldsFrom(name, child));
  return [[path, node.status === undefined ? "live" : "idle"], ...below];
}

/** @param marked how far what is above has come, which holds for what is below */
function linesBelow(path: string, node: Node, root: Node, marked: string | undefined): string[] {
  return childrenOf(path, node).flatMap(([below, child]) => {
    const shared = sharedWith(below, child, root);
    const { status, ...unmarked } = child;
    const line = lineOf(below, status === marked ? unmarked : child);
    if (shared !== undefined) return [`${line} Fields as in \`${shared}\`.`];
    return [line, ...linesBelow(below, child, root, status ?? marked)];
  });
}

/** The fields directly below one, of all its forms. A reference to a secret has none of its own. */
function childrenOf(path: string, node: Node): [string, Node][] {
  if (isSecret(node)) return [];
  const { properties = {}, additionalProperties, items, anyOf = [] } = node;
  const record = typeof additionalProperties === "object" ? additionalProperties : undefined;
  return [
    ...Object.entries(properties).map(([name, child]): [string, Node] => [`${path}.${name}`, child]),
    ...(record === undefined ? [] : inner(`${path}.<name>`, record)),
    ...(items === undefined ? [] : inner(`${path}[]`, items)),
    ...anyOf.flatMap((form) => childrenOf(path, form)),
  ];
}

/** What stands in a list or under names: itself where it says what it is, else what is below it. */
function inner(path: string, node: Node): [string, Node][] {
  return node.description === undefined ? childrenOf(path, node) : [[path, node]];
}

/** Where an agent's own settings have the same fields as those that all share. */
function sharedWith(path: string, node: Node, root: Node): string | undefined {
  const name = /^agents\.list\[\]\.(\w+)$/.exec(path)?.[1];
  const shared = name === undefined ? undefined : root.properties?.agents?.properties?.defaults?.properties?.[name];
  const own = Object.keys(node.properties ?? {});
  const isSame = shared !== undefined && own.length > 2 && own.every((field) => shared.properties?.[field]);
  return isSame ? `agents.defaults.${name}` : undefined;
}

function lineOf(path: string, node: Node): string {
  const { description = "", status } = node;
  const fallback = "default" in node && !isEmpty(node.default) ? `, default \`${JSON.stringify(node.default)}\`` : "";
  const mark = status === undefined ? "" : ` *${status[0]?.toUpperCase()}${status.slice(1)}.*`;
  const what = typeOf(node);
  const kind = what === "" && fallback === "" ? "" : ` (${what}${fallback})`;
  return `- \`${path}\`${kind}${description === "" ? "" : `: ${description}`}${mark}`;
}

function typeOf(node: Node): string {
  if (isSecret(node)) return "secret";
  if (node.anyOf !== undefined) return [...new Set(node.anyOf.map(typeOf))].filter((type) => type !== "").join(" or ");
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return node.enum.map((value) => `\`${String(value)}\``).join(", ");
  switch (node.type) {
    case "array": {
      const items = node.items === undefined ? "" : typeOf(node.items);
      return items === "" || items === "object" ? "list" : `list of ${items}`;
    }
    case "object":
      return typeof node.additionalProperties === "object" ? "by name" : "";
    case "integer":
    case "number":
      return `number${rangeOf(node)}`;
    case "string":
      return node.format === "uri" ? "address" : "text";
    default:
      return node.type ?? "";
  }
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Node): string {
  const from = minimum ?? exclusiveMinimum;
  const isOpen = from === undefined || from <= Number.MIN_SAFE_INTEGER;
  const to = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? "" : ` to ${maximum}`;
  if (isOpen) return to === "" ? "" : ` up${to}`;
  return minimum === undefined ? ` above ${from}${to}` : ` from ${from}${to}`;
}

function isSecret({ properties }: Node): boolean {
  return properties?.source?.const === "env" && properties.id !== undefined;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
