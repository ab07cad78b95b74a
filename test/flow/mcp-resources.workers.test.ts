import { expect, test } from "vitest";
import type { McpResource } from "../fakes/mcp-server.ts";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";
import { configureMcp, heardMcp, mcpAt, mcpHost, serveMcp, withServers } from "./mcp-lab.ts";
import { configure, session } from "./session-lab.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const NOTES: McpResource[] = [
  { uri: "file:///notes/a b.md#top", name: "A note", description: "What the keeper wrote.", text: "one\ntwo\nthree" },
  { uri: "file:///chart.png", name: "The chart", mimeType: "image/png", blob: PNG },
  { uri: "file:///tide.pdf", name: "The tides", mimeType: "application/pdf", blob: btoa("%PDF-1.4 tides") },
];

/** Has a model call tools one after another, in one turn. */
async function turn(name: string, calls: { name: string; args: object }[]): Promise<{ results: any[]; body: any }> {
  const { sessionKey } = session(name);
  await script(name, [...calls.map((one) => ({ calls: [one] })), { text: "Done." }]);
  const before = (await asked(name)).length;
  expect(await finished((await say("Look", name, { sessionKey })).runId)).toMatchObject({ status: "ok" });
  const { messages } = await historyOf(sessionKey);
  return { results: messages.filter(({ role }: any) => role === "tool"), body: (await asked(name))[before]!.body };
}

const read = (path: string, more: object = {}) => ({ name: "read", args: { path, ...more } });
const ls = (path: string) => ({ name: "ls", args: { path } });

/** The resources that a server was asked for. */
async function readsOf(place: string): Promise<string[]> {
  return (await heardMcp(place)).flatMap(({ body }) => (body?.method === "resources/read" ? [body.params.uri] : []));
}

test("an agent lists a server's resources and reads one in parts, fenced and labelled with the server's host", async () => {
  await serveMcp("shelf", { tools: [], resources: NOTES });
  await configureMcp("mcp-shelf", { shelf: { url: mcpAt("shelf"), trusted: true } });
  const { results, body } = await turn("mcp-shelf", [
    ls("mcp://"),
    ls("mcp://shelf/"),
    read("mcp://shelf/file:///notes/a b.md#top", { offset: 2, limit: 1 }),
    read(`mcp://shelf/${encodeURIComponent("file:///notes/a b.md#top")}`),
  ]);
  expect(JSON.stringify(body.messages[0])).toContain("mcp://<server>/<uri>: mcp://shelf/.");
  const [servers, list, part, whole] = results;
  expect(servers).toMatchObject({ text: "mcp://shelf/", isError: false });
  expect(list.text).toContain("mcp://shelf/file:///notes/a b.md#top  A note: What the keeper wrote.");
  expect(list.text).toContain("mcp://shelf/pier://{number}  One pier");
  for (const result of [list, part, whole]) {
    expect(result).toMatchObject({ isError: false, labels: [`host:${mcpHost}`] });
    expect(result.text).toMatch(/<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>/);
  }
  expect(part.text).toContain("two");
  expect(part.text).not.toContain("three");
  expect(part.text).toContain("Read on with offset=3.");
  expect(whole.text).toContain("one\ntwo\nthree");
  expect(await readsOf("shelf")).toEqual(["file:///notes/a b.md#top", "file:///notes/a b.md#top"]);
});

test("of a long list so many pages are asked for as are shown", async () => {
  const resources = Array.from({ length: 1000 }, (_, n) => ({ uri: `file:///${n}`, name: `Note ${n}.`, text: "" }));
  await serveMcp("archive", { tools: [], resources, resourcesPerPage: 100 });
  await configureMcp("mcp-archive", { archive: { url: mcpAt("archive"), trusted: true } });
  const { results } = await turn("mcp-archive", [ls("mcp://archive/")]);
  expect(results[0].text).toContain("[The first 300 resources: there are more.]");
  const cursors = (await heardMcp("archive")).flatMap(({ body }) =>
    body?.method === "resources/list" ? [body.params?.cursor] : [],
  );
  expect(cursors).toEqual([undefined, "100", "200"]);
});

test("an image of a server is shown, and another file is stored below inbox with the server's label", async () => {
  await serveMcp("gallery", { tools: [], resources: NOTES });
  await configureMcp("mcp-gallery", { gallery: { url: mcpAt("gallery"), trusted: true } });
  const { results } = await turn("mcp-gallery", [
    read("mcp://gallery/file:///chart.png"),
    read("mcp://gallery/file:///tide.pdf"),
  ]);
  expect(results[0].images).toEqual([
    { path: expect.stringMatching(/^inbox\/mcp-[0-9a-f]{16}\.png$/), mediaType: "image/png" },
  ]);
  const [path = ""] = /inbox\/mcp-[0-9a-f]{16}\.pdf/.exec(results[1].text) ?? [];
  const stored = await (await call("GET", `/v1/agents/main/workspace/${path}`)).arrayBuffer();
  expect(new TextDecoder().decode(stored)).toBe("%PDF-1.4 tides");
});

test("a turn that has read a server's words asks before it asks for a resource, and says for which", async () => {
  await serveMcp("asks", { tools: [], resources: NOTES });
  await configureMcp("mcp-asks", { asks: { url: mcpAt("asks") } });
  await script("mcp-asks", [
    { calls: [ls("mcp://asks/")] },
    { calls: [read("mcp://asks/pier://the-owners-secret")] },
    { text: "Done." },
  ]);
  const { runId } = await say("Look", "mcp-asks", session("mcp-asks"));
  const view = async () => (await call("GET", `/v1/runs/${runId}`)).json<any>();
  await waitFor(async () => (await view()).status === "waiting_approval");
  const [approval] = (await view()).approvals;
  expect(approval.question).toContain(`Call mcp_asks_read_resource of the MCP server 'asks' (${mcpHost}) with this?`);
  expect(approval.question).toContain("pier://the-owners-secret");
  expect(await readsOf("asks")).toEqual([]);
  await call("POST", `/v1/approvals/${approval.id}`, { decision: "deny" });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect(await readsOf("asks")).toEqual([]);
});

test("only resources of servers that the agent, the policy and the configuration give can be read", async () => {
  await serveMcp("closed", { tools: [], resources: NOTES });
  const [url, path] = [mcpAt("closed"), "file:///notes/a b.md#top"];
  const servers = {
    open: { url },
    denied: { url, tools: { deny: ["read_resource"] } },
    narrow: { url, tools: { allow: ["get_*"] } },
    barred: { url },
    elsewhere: { url },
  };
  await configure("mcp-closed", (config) => {
    const list = [
      { id: "main", mcp: { servers: ["open", "denied", "narrow", "barred"] } },
      ...config.agents.list.slice(1),
    ];
    const tools = { ...config.tools, deny: ["mcp_barred_*"] };
    return { ...withServers(config, servers), tools, agents: { ...config.agents, list } };
  });
  const others = ["denied", "narrow", "barred", "elsewhere", "unknown"];
  const { results } = await turn("mcp-closed", [...others.map((name) => read(`mcp://${name}/${path}`)), ls("mcp://")]);
  for (const [index, name] of others.entries()) {
    expect(results[index]).toMatchObject({ isError: true });
    expect(results[index].text).toContain(
      `No MCP server '${name}' has resources that can be read here. There is mcp://open/.`,
    );
  }
  expect(results.at(-1).text).toBe("mcp://open/");
  expect(await readsOf("closed")).toEqual([]);
});

test("a resource that is not there, and a server that goes away, end with an error that says so", async () => {
  await serveMcp("empty", { tools: [], resources: NOTES });
  await configureMcp("mcp-empty", { empty: { url: mcpAt("empty"), trusted: true } });
  const { results } = await turn("mcp-empty", [read("mcp://empty/file:///nothing"), read("mcp://empty/")]);
  expect(results[0]).toMatchObject({ isError: true, labels: [`host:${mcpHost}`] });
  expect(results[0].text).toMatch(/<<<EXTERNAL_UNTRUSTED_CONTENT[\s\S]+no resource file:\/\/\/nothing/);
  expect(results[1]).toMatchObject({ isError: true, text: expect.stringContaining("ls on mcp://empty/ shows them") });
  await serveMcp("empty", { tools: [], isPage: true });
  const after = await turn("mcp-empty", [read("mcp://empty/file:///chart.png")]);
  expect(after.results.at(-1)).toMatchObject({
    isError: true,
    text: expect.stringContaining("The MCP server 'empty'"),
  });
});
