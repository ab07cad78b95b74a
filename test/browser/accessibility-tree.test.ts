import { expect, test } from "vitest";
import { treeLines } from "../../src/browser/accessibility-tree.ts";
import type { AxNode } from "../../src/browser/cdp-protocol.ts";

const BASE = "https://shop.example/lamps";

/** A node with its children; ids and refs are counted. */
function tree(role: string, name: string, children: AxNode[][] = [], more: Partial<AxNode> = {}): AxNode[] {
  const nodeId = `n${++lastId}`;
  const childIds = children.map(([child]) => child?.nodeId ?? "");
  const own = {
    nodeId,
    ignored: false,
    role: { value: role },
    name: { value: name },
    childIds,
    backendDOMNodeId: lastId,
  };
  return [{ ...own, ...more }, ...children.flat()];
}
let lastId = 0;

const state = (...properties: [string, unknown][]): Partial<AxNode> => ({
  properties: properties.map(([name, value]) => ({ name, value: { value } })),
});

function lines(nodes: AxNode[]): string[] {
  let refs = 0;
  return treeLines(nodes, BASE, () => `e${++refs}`);
}

test("what is acted on has a ref, what only groups is left out, and a text is said once", () => {
  const nodes = tree("RootWebArea", "Lamps", [
    tree("generic", "", [
      tree("heading", "Lamps", [tree("StaticText", "Lamps", [tree("InlineTextBox", "Lamps")])], state(["level", 1])),
      tree("list", "", [
        tree("listitem", "", [
          tree("link", "Brass lamp", [tree("StaticText", "Brass lamp")], state(["url", "https://shop.example/brass"])),
          tree("StaticText", "40 €"),
        ]),
      ]),
      tree("textbox", "Search", [], { value: { value: "brass" }, ...state(["focused", true], ["required", true]) }),
      tree("generic", "", [], state(["focusable", true])),
      tree("generic", "Hidden", [], { ignored: true }),
    ]),
  ]);
  expect(lines(nodes)).toEqual([
    'heading "Lamps" level=1',
    "list",
    "  listitem",
    '    [e1] link "Brass lamp" <https://shop.example/brass>',
    '    text "40 €"',
    '[e2] textbox "Search" = "brass" focused required',
  ]);
});

test("states that matter are shown, and a link within the document has no address", () => {
  const nodes = tree("RootWebArea", "", [
    tree("checkbox", "Gift", [], state(["checked", "true"])),
    tree("button", "Menu", [], state(["expanded", false])),
    tree("button", "Buy", [], state(["disabled", true], ["pressed", "false"])),
    tree("link", "Top", [], state(["url", `${BASE}#top`])),
    tree("slider", "Price", [], { value: { value: 40 } }),
  ]);
  expect(lines(nodes)).toEqual([
    '[e1] checkbox "Gift" checked=true',
    '[e2] button "Menu" expanded=false',
    '[e3] button "Buy" disabled',
    '[e4] link "Top"',
    '[e5] slider "Price" = "40"',
  ]);
});

test("names are cut and in one line, a tree that is deep stays readable, and a huge one is cut", () => {
  expect(lines(tree("RootWebArea", "", [tree("button", `a\n${"b".repeat(400)}`)]))[0]).toMatch(
    /^\[e1\] button "a b{298}…"$/,
  );
  const deep = Array.from({ length: 50 }).reduce<AxNode[]>(
    (below) => tree("listitem", "", [below]),
    tree("button", "x"),
  );
  expect(lines(deep).at(-1)).toBe(`${"  ".repeat(12)}[e1] button "x"`);
  const many = tree(
    "RootWebArea",
    "",
    Array.from({ length: 20_010 }, () => tree("button", "x")),
  );
  expect(lines(many).at(-1)).toBe("(11 more nodes are not shown)");
});
