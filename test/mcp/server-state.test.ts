import { expect, test } from "vitest";
import { mcp } from "../../src/config/mcp-schema.ts";
import { readTools } from "../../src/mcp/listed-tool.ts";
import { isListingDue, pendingCode, serverState } from "../../src/mcp/server-state.ts";
import { accepting } from "../../src/mcp/server-store.ts";

const URL_HERE = "https://pier.example/mcp";

async function stored(words = "Counts.") {
  const { tools, leftOut } = await readTools("pier", [
    { name: "count", description: words, inputSchema: { type: "object" } },
  ]);
  const listing = { tools, leftOut, about: "pier 1", protocol: { transport: "http" as const } };
  return { name: "pier", url: URL_HERE, askedAt: 1000, listing, accepted: accepting(tools) };
}

function server(more: object = {}) {
  const config = mcp.parse({ servers: { pier: { url: URL_HERE, ...more } } }).servers.pier!;
  return { name: "pier", config };
}

test("of another address nothing that is stored counts", async () => {
  const state = serverState(server({ url: "https://other.example/mcp" }), await stored());
  expect(state).toMatchObject({ tools: [], trouble: { kind: "new" } });
});

test("a server that failed last has no tools, and is asked again sooner than one that answered", async () => {
  const row = { ...(await stored()), failure: { kind: "away", message: "gone" } as const };
  expect(serverState(server(), row)).toMatchObject({ tools: [], trouble: { kind: "away" } });
  expect(isListingDue(server(), row, 1000 + 61_000)).toBe(true);
  expect(isListingDue(server(), await stored(), 1000 + 61_000)).toBe(false);
  expect(isListingDue(server(), await stored(), 1000 + 601_000)).toBe(true);
});

test("a changed tool waits with what was accepted before, under a code of its own", async () => {
  const [before, after, later] = [await stored(), await stored("Counts and sends."), await stored("Sends.")];
  const waiting = ({ listing }: typeof before) => serverState(server(), { ...before, listing });
  expect(waiting(before)).toMatchObject({ tools: [{ tool: "count" }], pending: [] });
  expect(waiting(after)).toMatchObject({ tools: [], pending: [{ was: { description: "Counts." } }] });
  expect(await pendingCode(waiting(after).pending)).not.toBe(await pendingCode(waiting(later).pending));
});

test("deny wins over allow, by the server's own names", async () => {
  const row = await stored();
  expect(serverState(server({ tools: { allow: ["c*"] } }), row).tools).toHaveLength(1);
  expect(serverState(server({ tools: { allow: ["c*"], deny: ["count"] } }), row).tools).toEqual([]);
  expect(serverState(server({ tools: { allow: ["get_*"] } }), row).tools).toEqual([]);
});

test("servers of other products that cannot run here are refused with what to do", () => {
  const problem = (one: object) =>
    mcp.safeParse({ servers: { pier: one } }).error?.issues.map(({ message }) => message);
  expect(problem({ command: "npx", args: ["-y", "x"] })).toContainEqual(
    expect.stringContaining("a server that is started as a command cannot run in a Worker"),
  );
  expect(problem({ url: URL_HERE, type: "http" })).toEqual([expect.stringContaining("type: leave it out")]);
  expect(problem({ url: URL_HERE, headers: { Authorization: "Bearer abcdefgh" } })).toEqual([
    expect.stringContaining("a secret does not belong here"),
  ]);
  expect(mcp.safeParse({ servers: { a__b: { url: URL_HERE } } }).success).toBe(false);
});

test("servers whose tools could be taken for one another's are refused", () => {
  const isTaken = (...names: string[]) =>
    mcp.safeParse({ servers: Object.fromEntries(names.map((name) => [name, { url: URL_HERE }])) }).success;
  expect(isTaken("a", "a_b")).toBe(false);
  expect(isTaken("A_b", "a")).toBe(false);
  expect(isTaken("a", "ab", "a-b", "b_a", "c_d", "c_e")).toBe(true);
});
