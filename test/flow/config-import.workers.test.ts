import { env } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { call, finished, script } from "./client.ts";

const SECRET = "8123456789:AAFlowFlowFlowFlowFlowFlowFlowFlow0";

interface Answer {
  revision: number;
  stored: boolean;
  document: any;
  mapped: object[];
  changed: { path: string }[];
  unknown: { path: string }[];
  refused: { path: string; hint: string }[];
  replaced: string[];
}

/** Sends a document to be imported. */
function send(body: string, query = "", headers: Record<string, string> = { "If-Match": "*" }) {
  return call("POST", `/v1/config/import${query}`, body, { "Content-Type": "text/plain", ...headers });
}

async function stored(): Promise<{ revision: number; document: any }> {
  return (await call("GET", "/v1/config")).json();
}

test("a dry run says what would come of a document, and stores nothing", async () => {
  const before = await stored();
  const answer = await send("{agent: {timeoutSeconds: 30}, gateway: {port: 1}}", "?dryRun=true", {});
  expect(answer.status).toBe(200);
  expect(await answer.json<Answer>()).toMatchObject({
    revision: 0,
    stored: false,
    document: { agents: { defaults: { timeoutSeconds: 30 } } },
    mapped: [{ from: "agent.timeoutSeconds", to: "agents.defaults.timeoutSeconds" }],
    unknown: [{ path: "gateway" }],
    replaced: expect.arrayContaining(["agents.defaults.model", "models.retry.backoffMs"]),
  });
  expect(await stored()).toEqual(before);
});

test("a document that is imported is in force with the next message, and its secrets are nowhere", async () => {
  const lines: string[] = [];
  const listen = (line: unknown) => void lines.push(String(line));
  for (const level of ["debug", "info", "warn", "error"] as const) vi.spyOn(console, level).mockImplementation(listen);
  const { document } = await stored();
  const answer = await send(
    `// from home
    {
      agent: { workspace: "~/clawd", model: { primary: "fake/imported" } },
      models: { providers: { fake: { baseUrl: "${document.models.providers.fake.baseUrl}", api: "openai-completions" } } },
      channels: { telegram: { enabled: true, botToken: "${SECRET}" } },
      env: { OPENAI_API_KEY: "${SECRET}" },
    }`,
  );
  const text = await answer.text();
  vi.restoreAllMocks();
  expect(answer.status).toBe(200);
  const report: Answer = JSON.parse(text);
  expect(report).toMatchObject({ revision: 1, stored: true, refused: [{ path: "channels.telegram.botToken" }] });
  expect(report.unknown.map(({ path }) => path)).toEqual(["env"]);

  await script("imported", [{ text: "Moved in." }]);
  const accepted = await call("POST", "/v1/agent", { message: "hi", sessionKey: "agent:main:hook:imported" });
  const { runId } = await accepted.json<{ runId: string }>();
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Moved in.", model: "fake/imported" });

  const { results } = await env.DB.prepare("select * from config_revisions").all();
  const audit = await env.DB.prepare("select * from audit where kind = 'config'").all();
  expect(audit.results).toHaveLength(1);
  for (const kept of [text, JSON.stringify(results), JSON.stringify(audit.results), lines.join("\n")]) {
    expect(kept).not.toContain("AAFlow");
  }
  expect(results).toMatchObject([{ author: "import", note: "Imported from an openclaw.json." }]);
});

test("an import that replaces a configuration must name its revision", async () => {
  expect((await send("{}", "", {})).status).toBe(428);
  expect((await send("{}", "", { "If-Match": '"999"' })).status).toBe(412);
});

test("an import that would take nothing over is refused, and told as a dry run", async () => {
  const before = await stored();
  for (const document of ["{}", '{"whatever": {"is": "unknown"}}']) {
    const refused = await send(document);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(await refused.json())).toContain("Nothing in this document can be taken over");
    expect((await send(document, "?dryRun=true")).status).toBe(200);
  }
  expect(await stored()).toEqual(before);
});

test("an import of something that is not a document is refused, and nothing changes", async () => {
  const before = await stored();
  for (const [body, status] of [
    ["{nope", 400],
    ["[]", 400],
    ["", 400],
    [`{a: ${"[".repeat(50_000)}`, 400],
    ["x".repeat(800_000), 413],
  ] as const) {
    const refused = await send(body);
    const { error } = await refused.json<{ error: { message: string; hint?: string } }>();
    expect([body.slice(0, 10), refused.status]).toEqual([body.slice(0, 10), status]);
    expect(error.message).toMatch(/\S/);
  }
  expect((await send("{}", "?dry=true")).status).toBe(400);
  expect(await stored()).toEqual(before);
});
