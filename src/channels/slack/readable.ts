import type { SlackAttachment } from "./payload.ts";

/** Text in Slack's escaped form as people read it. */
export function readable(text: string): string {
  return text.replace(/<([^<>]+)>/g, (_, inside: string) => shown(inside)).replace(/&(lt|gt|amp);/g, decoded);
}

/** What stands for a reference: a member, a channel, a group, a date or an address. */
function shown(inside: string): string {
  const [what = "", ...labels] = inside.split("|");
  const label = labels.join("|");
  switch (what[0]) {
    case "@":
      return withSign("@", label || what.slice(1));
    case "#":
      return withSign("#", label || what.slice(1));
    case "!":
      return label === "" ? withSign("@", what.slice(1).split("^")[1] ?? what.slice(1)) : keyword(what, label);
    default:
      return link(what, label);
  }
}

/** `<!date^…|…>` has words instead of a name. */
function keyword(what: string, label: string): string {
  return what.startsWith("!date") ? label : withSign("@", label);
}

function withSign(sign: string, name: string): string {
  return name.startsWith(sign) ? name : sign + name;
}

/** An address that Slack has made of what a person typed is shown as it was typed. */
function link(href: string, label: string): string {
  const bare = href.replace(/^(?:https?:\/\/|mailto:|tel:)/, "");
  if (label === "") return href.startsWith("http") ? href : bare;
  return [href, bare, bare.replace(/\/$/, "")].includes(label) ? label : `${label} (${href})`;
}

const REFERENCES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&" };

function decoded(whole: string, name: string): string {
  return REFERENCES[name] ?? whole;
}

/** Most lines of pasted tables. */
const MAX_ROWS = 200;
/** A cell is rich text of sections of elements. */
const MAX_DEPTH = 4;

/** The tables that a person has pasted, which the text leaves out; a line for each row. */
export function pastedTables({ blocks }: SlackAttachment): string[] {
  const rows = (blocks ?? []).flatMap((block) => (field(block, "type") === "table" ? list(block, "rows") : []));
  return rows.slice(0, MAX_ROWS).map((row) => {
    return (Array.isArray(row) ? row : []).map((cell) => cellText(cell, MAX_DEPTH)).join(" | ");
  });
}

/** The text of a cell: its own, or that of its elements. */
function cellText(cell: unknown, depth: number): string {
  const own = field(cell, "text") ?? field(cell, "value") ?? field(cell, "url");
  if (typeof own === "string" || typeof own === "number") return String(own);
  if (depth === 0) return "";
  return list(cell, "elements")
    .map((element) => cellText(element, depth - 1))
    .join("");
}

function list(value: unknown, key: string): unknown[] {
  const found = field(value, key);
  return Array.isArray(found) ? found : [];
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
