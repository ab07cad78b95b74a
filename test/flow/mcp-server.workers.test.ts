import { SELF } from "cloudflare:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/tool.ts";
import { call, historyOf, script, waitFor } from "./client.ts";
import { equip } from "./session-lab.ts";

const ENDPOINT = "https://isopod.test/mcp";

/** A token with a scope. */
async function tokenFor(scope: string): Promise<{ id: string; token: string }> {
  return (await call("POST", "/v1/tokens", { name: `mcp ${scope}`, scope })).json();
}

/** The official client, connected with a token. */
async function connected(token: string, mode: "auto" | "legacy" = "legacy"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const fetch = (url: string | URL, init?: RequestInit) => SELF.fetch(String(url), init as object) as Promise<any>;
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(ENDPOINT), { fetch, requestInit }));
  return client;
}

/** A tool's answer as text. */
async function used(client: Client, name: string, args: object = {}): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = (await client.callTool({ name, arguments: args as Record<string, unknown> })) as any;
  return { text: content[0].text, isError };
}

/** A message as it is sent, and its answer. */
async function posted(body: unknown, headers: Record<string, string> = {}) {
  const response = await call("POST", "/mcp", body, headers);
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 7, method, params });

test("the official client connects, in the revision that it asks for, and lists the tools", async () => {
  for (const mode of ["legacy", "auto"] as const) {
    const client = await connected("test-token", mode);
    expect(client.getServerVersion()).toMatchObject({ name: "isopod" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["ask", "run_status", "memory_search", "read_file", "list_files", "list_sessions"],
    ]);
    for (const { inputSchema } of tools)
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    await client.ping();
    await client.close();
  }
});

test("a message is a run whose reply comes back, in a conversation of the token's own that goes on", async () => {
  const { id, token } = await tokenFor("write");
  const client = await connected(token);
  await script("other", [{ text: "Hello, client." }, { text: "Still here." }]);
  const sent = (message: string) => used(client, "ask", { message, agentId: "other" });
  expect(await sent("Hello from a client")).toEqual({ text: "Hello, client.", isError: false });
  expect(await sent("And again")).toEqual({ text: "Still here.", isError: false });
  const key = `agent:other:mcp:direct:${id}`;
  const { messages } = await historyOf(key);
  expect(messages.filter(({ role }: any) => role === "user").map(({ text }) => text)).toEqual([
    "Hello from a client",
    "And again",
  ]);
  await waitFor(async () => (await used(client, "list_sessions")).text.includes(`${key}  ok`));
});

test("a message that is asked again under its key is the same run, and another message under it is refused", async () => {
  const { id, token } = await tokenFor("write");
  const client = await connected(token);
  await script("other", [{ text: "Once." }]);
  const sent = (message: string) => used(client, "ask", { message, agentId: "other", idempotencyKey: "first" });
  expect(await sent("Hello")).toEqual({ text: "Once.", isError: false });
  expect(await sent("Hello")).toEqual({ text: "Once.", isError: false });
  expect(await sent("Something else")).toEqual({
    text: expect.stringContaining("idempotencyKey"),
    isError: true,
  });
  const { messages } = await historyOf(`agent:other:mcp:direct:${id}`);
  expect(messages.filter(({ role }: any) => role === "user")).toHaveLength(1);
});

test("a run that waits for its owner says what is asked, and goes on once the owner has answered", async () => {
  const sessionKey = "agent:other:hook:mcp-asks";
  const launch = defineTool({
    name: "launch",
    summary: "Launch",
    description: "Launches.",
    parameters: z.strictObject({}),
    replay: "unsafe",
    sequential: true,
    approval: () => "Launch it?",
    run: async () => ({ text: "launched" }),
  });
  await equip(sessionKey, { extraTools: [launch] });
  await script("other", [{ calls: [{ name: "launch", args: {} }] }, { text: "Done." }]);
  const client = await connected("test-token");
  const { text } = await used(client, "ask", { message: "Launch", sessionKey });
  expect(text).toContain("waits for its owner");
  expect(text).toContain("Launch it?");
  const [, runId = ""] = /runId (run_\S+)\./.exec(text) ?? [];
  const { approvals } = await (await call("GET", `/v1/runs/${runId}`)).json<any>();
  await call("POST", `/v1/approvals/${approvals[0].id}`, { decision: "allow-once" });
  expect(await used(client, "run_status", { runId })).toEqual({ text: "Done.", isError: false });
});

test("files and memory are read by their paths, and what is not there says so", async () => {
  await call("PUT", "/v1/agents/main/workspace/mcp/notes.md", "one\ntwo\nthree\n");
  const client = await connected("test-token");
  expect((await used(client, "list_files", { folder: "mcp" })).text).toBe("mcp/notes.md  14 bytes");
  expect((await used(client, "read_file", { path: "mcp/notes.md", offset: 2, limit: 1 })).text).toContain(
    "two\n\n[Lines 2",
  );
  for (const path of ["mcp/none.md", "../secret"]) {
    expect(await used(client, "read_file", { path })).toMatchObject({ isError: true });
  }
  expect(await used(client, "read_file", { path: "mcp/notes.md", agentId: "nobody" })).toMatchObject({
    text: expect.stringContaining("nobody"),
    isError: true,
  });
  expect(await used(client, "memory_search", { query: "lanterns" })).toMatchObject({ isError: false });
});

test("a token is given only the tools of its scope, and without one nothing is", async () => {
  const { token } = await tokenFor("read");
  const client = await connected(token);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("ask");
  expect(await used(client, "memory_search", { query: "lanterns" })).toMatchObject({ isError: false });
  const search = await SELF.fetch("https://isopod.test/v1/agents/main/memory/search", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ query: "lanterns" }),
  });
  expect(search.status).toBe(200);
  await expect(used(client, "ask", { message: "x" })).rejects.toThrow("needs a token with the scope 'write'");
  const bare = await SELF.fetch(ENDPOINT, { method: "POST", body: JSON.stringify(rpc("ping")) });
  expect(bare.status).toBe(401);
  expect(bare.headers.get("WWW-Authenticate")).toBe("Bearer");
});

test("a client's model gives no commands, so that it answers no question that is put to the owner", async () => {
  const client = await connected("test-token");
  for (const message of ["/approve allow-always", " /mcp accept x y", "／stop"]) {
    expect(await used(client, "ask", { message })).toMatchObject({
      text: expect.stringContaining("commands are for people"),
      isError: true,
    });
  }
});

test("a run that takes longer is named, and run_status says how it ended", async () => {
  const client = await connected("test-token");
  await script("other", [{ hang: true }]);
  const { text } = await used(client, "ask", { message: "Slowly", agentId: "other", waitSeconds: 0 });
  const [, runId = ""] = /still at work\. Wait for it with run_status, runId (run_\S+)\.$/.exec(text) ?? [];
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await used(client, "run_status", { runId })).toMatchObject({
    text: expect.stringContaining("ended without a reply (aborted)"),
    isError: true,
  });
  expect(await used(client, "run_status", { runId: "run_none" })).toMatchObject({ isError: true });
});

test("the revision is the client's where it is spoken, and else the newest", async () => {
  const initialize = (protocolVersion: unknown) => posted(rpc("initialize", { protocolVersion }));
  expect((await initialize("2025-06-18")).json.result.protocolVersion).toBe("2025-06-18");
  expect((await initialize("2031-01-01")).json.result.protocolVersion).toBe("2025-11-25");
  const wrong = await posted(rpc("ping"), { "MCP-Protocol-Version": "1999-01-01" });
  expect(wrong).toMatchObject({ status: 400, json: { id: null, error: { code: -32600 } } });
});

test("what is wrong is answered as the protocol says", async () => {
  const code = async (body: unknown) => (await posted(body)).json.error.code;
  expect(await code("{")).toBe(-32700);
  expect(await code([rpc("ping")])).toBe(-32600);
  expect(await code({ id: 1, method: "ping" })).toBe(-32600);
  expect(await code(rpc("resources/list"))).toBe(-32601);
  expect(await code(rpc("tools/call", { name: "exec" }))).toBe(-32602);
  expect(await posted(rpc("tools/call", { name: "read_file", arguments: { file: "x" } }))).toMatchObject({
    status: 200,
    json: { id: 7, result: { isError: true, content: [{ text: expect.stringContaining("Wrong arguments") }] } },
  });
  expect(await posted({ jsonrpc: "2.0", method: "notifications/initialized" })).toEqual({
    status: 202,
    json: undefined,
  });
  expect((await posted(`"${"x".repeat(3 * 1024 * 1024)}"`)).json.error.code).toBe(-32600);
  for (const method of ["GET", "DELETE"]) expect((await call(method, "/mcp")).status).toBe(405);
});
