import { head } from "../lib/text.ts";
import type { AxNode } from "./cdp-protocol.ts";

/** Names an element so that a later action can find it; the same element keeps its ref. */
export type NameElement = (backendNodeId: number) => string;

/** What people act on: it gets a ref. So does all else that takes the focus. */
const ACTED_ON = new Set([
  ...["button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider"],
  ...["spinbutton", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem", "Date", "DateTime"],
]);

/** What only groups others: its children stand in its place. */
const TRANSPARENT = new Set(["none", "generic", "RootWebArea", "LayoutTable", "LayoutTableRow", "LayoutTableCell"]);
/** What says nothing that its neighbours do not. */
const LEFT_OUT = new Set(["InlineTextBox", "LineBreak", "ListMarker", "Iframe", "IframePresentational"]);

/** States that are shown where they are true. */
const STATES = ["disabled", "focused", "required", "readonly", "modal", "multiselectable"];
/** States that are shown with their value. */
const VALUES = ["checked", "pressed", "expanded", "selected", "invalid", "level"];

const MAX_NAME_CHARS = 300;
const MAX_VALUE_CHARS = 200;
const MAX_URL_CHARS = 300;
/** Deeper trees are shown flat below it. */
const MAX_INDENT = 12;
/** A page with more nodes is cut: its text would fill a hundred results. */
const MAX_NODES = 20_000;

/**
 * An accessibility tree as short indented lines, one for each element that says or does something:
 *
 *     heading "Lamps" level=1
 *     list
 *       listitem
 *         [e3] link "Brass lamp" <https://shop.example/lamps/brass>
 *     [e4] textbox "Search" = "brass" focused
 *     text "3 results"
 *
 * @param base the address of the document: links within it are shown without their address
 */
export function treeLines(nodes: readonly AxNode[], base: string, nameElement: NameElement): string[] {
  const byId = new Map(nodes.slice(0, MAX_NODES).map((node) => [node.nodeId, node]));
  const lines: string[] = [];
  const root = nodes[0];
  if (root !== undefined) visit(root, 0, "");
  if (nodes.length > MAX_NODES) lines.push(`(${nodes.length - MAX_NODES} more nodes are not shown)`);
  return lines;

  function visit(node: AxNode, depth: number, nameAbove: string): void {
    const role = word(node.role?.value);
    if (LEFT_OUT.has(role)) return;
    const isShown = !node.ignored && !TRANSPARENT.has(role);
    const name = plain(node.name?.value, MAX_NAME_CHARS);
    if (isShown && role === "StaticText") {
      // The name of a button or a link is mostly its text.
      if (name !== "" && !nameAbove.includes(name)) lines.push(`${indent(depth)}text ${JSON.stringify(name)}`);
      return;
    }
    const isFocusable = property(node, "focusable") === true;
    const isNamedGroup = role === "generic" && name !== "" && isFocusable;
    const isLine = isShown || (isNamedGroup && !node.ignored);
    if (isLine) lines.push(`${indent(depth)}${line(node, role, name, isFocusable)}`);
    const below = isLine ? depth + 1 : depth;
    const named = isLine ? name : nameAbove;
    for (const id of node.childIds ?? []) {
      const child = byId.get(id);
      if (child !== undefined) visit(child, below, named);
    }
  }

  function line(node: AxNode, role: string, name: string, isFocusable: boolean): string {
    const isActedOn = (ACTED_ON.has(role) || isFocusable) && node.backendDOMNodeId !== undefined;
    const ref = isActedOn ? `[${nameElement(node.backendDOMNodeId ?? 0)}] ` : "";
    const value = plain(node.value?.value, MAX_VALUE_CHARS);
    const url = role === "link" ? linkUrl(property(node, "url"), base) : "";
    return [
      `${ref}${role}`,
      ...(name === "" ? [] : [JSON.stringify(name)]),
      ...(url === "" ? [] : [`<${url}>`]),
      ...(value === "" || value === name ? [] : [`= ${JSON.stringify(value)}`]),
      ...STATES.filter((state) => property(node, state) === true),
      ...VALUES.flatMap((state) => {
        const found = property(node, state);
        return found === undefined || found === false || found === "false"
          ? expandable(state, found)
          : [`${state}=${found}`];
      }),
    ].join(" ");
  }
}

/** That something is closed is worth a word: a click opens it. */
function expandable(state: string, found: unknown): string[] {
  return state === "expanded" && found === false ? ["expanded=false"] : [];
}

function property(node: AxNode, name: string): unknown {
  return node.properties?.find((found) => found.name === name)?.value.value;
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function plain(value: unknown, max: number): string {
  const text = typeof value === "number" ? String(value) : word(value);
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > max ? `${head(flat, max)}…` : flat;
}

function indent(depth: number): string {
  return "  ".repeat(Math.min(depth, MAX_INDENT));
}

/** The whole address of a link, so that it can be opened; none for one within the document, or a very long one. */
function linkUrl(url: unknown, base: string): string {
  const whole = word(url);
  if (whole === "" || whole.length > MAX_URL_CHARS || withoutFragment(whole) === withoutFragment(base)) return "";
  return whole;
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/, "");
}
