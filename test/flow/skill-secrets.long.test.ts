import { listDurableObjectIds } from "cloudflare:test";
import { expect, test } from "vitest";
import { at, heard, serve } from "../security/outside-lab.ts";
import { withoutStacks } from "../shell/without-stacks.ts";
import { asked, call, env, eventsOf, finished, say, script } from "./client.ts";
import { testSecrets } from "./config.ts";
import { allOfD1, allOfObjects, allOfR2, answersOf, leaksIn, listenToLogs, looksOf, type Places } from "./leak-lab.ts";
import { session } from "./session-lab.ts";

withoutStacks();

const { LEAKY_TOKEN: TOKEN, LEAKY_KEY: KEY } = testSecrets;
const VALUES = [TOKEN, KEY];
/** Is no secret, goes wherever the others would go, and has to be found: else nothing was looked through. */
const CONTROL = "control-7d1f3a";

const SKILL = `---
name: leaky
description: Asks a service for things. ${CONTROL}
metadata: {"openclaw": {"requires": {"env": ["SERVICE_TOKEN"], "bins": ["curl"]}, "primaryEnv": "SERVICE_KEY"}}
---
Send $SERVICE_TOKEN and $SERVICE_KEY to the service.
`;

const ENTRY = {
  env: { SERVICE_TOKEN: { source: "env", id: "LEAKY_TOKEN" } },
  apiKey: { source: "env", id: "LEAKY_KEY" },
  hosts: [new URL(at("leaky")).host],
};

/** Scripts that give the service what it is to have. */
const USES = [
  `curl -sS -X POST -H "Authorization: Bearer $SERVICE_TOKEN" --data-urlencode "key=$SERVICE_KEY" ${at("leaky", "take")}`,
];

/** Scripts that show it, in every way that comes to mind. */
const SHOWS = [
  `echo "${CONTROL} $SERVICE_TOKEN"; printf '%s\\n' "$SERVICE_KEY"; echo "\${SERVICE_KEY@Q}"; printf '%q\\n' "$SERVICE_KEY"`,
  "env; printenv SERVICE_TOKEN SERVICE_KEY; set; export -p; declare -p SERVICE_TOKEN; compgen -v",
  'printf %s "$SERVICE_TOKEN" | base64; printf "x%s" "$SERVICE_KEY" | base64; printf "xy%s" "$SERVICE_KEY" | base64 -w 20',
  'printf %s "$SERVICE_TOKEN" | od -An -tx1; printf %s "$SERVICE_TOKEN" | od -An -b',
  'printf %s "$SERVICE_TOKEN" | od -An -c; printf %s "$SERVICE_KEY" | od -An -tx1; echo "$SERVICE_KEY" | fold -w1; echo "$SERVICE_TOKEN" | sed "s/./& /g"',
  `echo "$SERVICE_TOKEN" | rev; echo "$SERVICE_KEY" | tr a-z A-Z; echo "\${SERVICE_TOKEN,,} \${SERVICE_TOKEN^^}"`,
  `jq -n --arg v "$SERVICE_KEY" '$v, ($v|@uri), ($v|@base64), ($v|@json), ($v|@json|@json), ($v|@html), ($v|@sh)'; jq -n 'env'`,
  `echo ${CONTROL} > leaky-${CONTROL}.txt; echo "$SERVICE_TOKEN" > leaky-a.txt; printf 'k: %s' "$SERVICE_KEY" > leaky-b.txt; env > leaky-c.txt`,
  'printf "..%s" "$SERVICE_KEY" | base64 > leaky-d.txt; echo "{\\"k\\":$(jq -n --arg v "$SERVICE_KEY" \'$v\')}" > leaky-e.json; echo "$SERVICE_TOKEN" | od -An -tx1 > leaky-f.txt',
  'touch "leaky-$SERVICE_TOKEN"; mkdir -p "leaky-$SERVICE_TOKEN.d"; echo x > "leaky-$SERVICE_TOKEN.d/x"; ls',
  `cat "/nowhere/${CONTROL}/$SERVICE_TOKEN"; cd "$SERVICE_TOKEN"; "$SERVICE_TOKEN"; ls "$SERVICE_KEY"; : "\${NOPE:?$SERVICE_TOKEN}"`,
  'exit "$SERVICE_TOKEN"',
  'eval "$SERVICE_KEY"; source <(echo "$SERVICE_KEY"); $((SERVICE_TOKEN))',
  'set -x; true "$SERVICE_TOKEN"; set -v; echo "$SERVICE_KEY"',
  `curl -v -H "X-Control: ${CONTROL}" -H "Authorization: Bearer $SERVICE_TOKEN" -d "$SERVICE_KEY" ${at("leaky", "echo")}`,
  `curl -sS -o leaky-g.txt -H "X-Key: $SERVICE_TOKEN" ${at("leaky", "echo")}; curl -sS -O ${at("leaky", "echo")}`,
  `curl -sSi -w '%{url_effective}' -G --data-urlencode "t=$SERVICE_TOKEN" ${at("leaky", "echo")}`,
  'curl -sS "http://$SERVICE_TOKEN.internal/"; curl -sS "http://user:$SERVICE_TOKEN@127.0.0.1/"; curl -sS "$SERVICE_KEY"',
  'echo "$SERVICE_TOKEN" | tee leaky-h.txt | cat; cp leaky-h.txt leaky-i.txt; awk \'BEGIN { print ENVIRON["SERVICE_KEY"] }\'; grep -r tok /workspace',
];

test("the value of a skill's secret reaches its service and nothing that is stored or shown", async () => {
  const logs = listenToLogs();
  const { sessionKey } = session("leaky");
  const patched = await call(
    "PATCH",
    "/v1/config",
    { skills: { entries: { leaky: ENTRY } }, security: { flow: "off" } },
    { "If-Match": "*" },
  );
  expect(patched.status).toBe(200);
  await call("PUT", "/v1/agents/main/workspace/skills/leaky/SKILL.md", SKILL);
  await serve("leaky", { take: { body: "taken" }, echo: { echo: true } });
  const exec = (command: string) => ({ calls: [{ name: "exec", args: { command } }] });
  const many = { calls: SHOWS.map((command) => ({ name: "exec", args: { command } })) };
  await script("leaky", [...USES.map(exec), many, { text: `Done. ${CONTROL}` }, { text: "Yes." }]);

  const first = await say("Use the service", "leaky", { sessionKey });
  expect(await finished(first.runId)).toMatchObject({ status: "ok", reply: `Done. ${CONTROL}` });
  const second = await say("/context detail", "leaky", { sessionKey });
  await finished(second.runId);
  const [taken] = await heard("leaky");
  expect(taken).toMatchObject({ method: "POST", headers: { authorization: `Bearer ${TOKEN}` } });
  expect(new URLSearchParams(taken!.body).get("key")).toBe(KEY);
  expect((await heard("leaky")).length).toBeGreaterThanOrEqual(5);

  const requests = await asked("leaky");
  const results = requests.at(-1)!.body.messages.filter((message: any) => message.role === "tool");
  expect(results).toHaveLength(USES.length + SHOWS.length);
  expect(JSON.stringify(results)).toContain("[redacted:SERVICE_TOKEN]");

  const key = encodeURIComponent(sessionKey);
  const paths = [
    ...[`/v1/runs/${first.runId}`, `/v1/runs/${first.runId}/events`, `/v1/runs/${first.runId}/prompt`],
    ...[
      `/v1/sessions/${key}/history`,
      `/v1/sessions/${key}/context`,
      `/v1/sessions/${key}/export`,
      `/v1/sessions/${key}/runs`,
    ],
    ...[
      "/v1/agents/main/prompt",
      "/v1/agents/main/skills",
      "/v1/agents/main/skills/leaky",
      "/v1/agents/main/workspace",
    ],
    ...["/v1/config?effective=true", "/v1/config/history", "/v1/doctor", "/v1/audit", "/v1/sessions", "/v1/plugins"],
  ];
  const places: Places = new Map([
    ["requests to the model", JSON.stringify(requests)],
    ["events", JSON.stringify(await eventsOf(first.runId))],
    ["logs", logs.lines.join("\n")],
    ...(await answersOf(paths)),
    ...(await allOfD1()),
    ...(await allOfR2()),
    ...(await allOfObjects(env.SESSIONS, await listDurableObjectIds(env.SESSIONS))),
    ...(await allOfObjects(env.LANES, await listDurableObjectIds(env.LANES))),
    ...(await allOfObjects(env.BUDGETS, await listDurableObjectIds(env.BUDGETS))),
  ]);
  logs.stop();
  expect(leaksIn(places, VALUES)).toEqual([]);

  const withControl = [...places].filter(([, text]) => text.includes(CONTROL)).map(([place]) => place);
  for (const place of [
    "requests to the model",
    "events",
    `GET /v1/sessions/${key}/history`,
    "GET /v1/agents/main/skills",
  ]) {
    expect(withControl).toContain(place);
  }
  expect(withControl).toContain(`R2 agents/main/workspace/leaky-${CONTROL}.txt`);
  expect(withControl.some((place) => place.startsWith("object"))).toBe(true);
  expect([...places.keys()].filter((place) => place.startsWith("D1")).length).toBeGreaterThan(5);
});

test("the leak check detects every encoding of a secret's value", () => {
  for (const look of VALUES.flatMap(looksOf)) {
    expect(leaksIn(new Map([["here", `before${look}after`]]), VALUES)).not.toEqual([]);
    const lines = look.replace(/.{7}/g, "$&\n");
    if (/^[\w+/-]+$/.test(look))
      expect(leaksIn(new Map([["here", JSON.stringify({ lines })]]), VALUES)).not.toEqual([]);
  }
});
