import { expect, test } from "vitest";
import { findChannel } from "../../src/channels/index.ts";
import type { DiagnosticsContext } from "../../src/diagnostics/diagnostics-context.ts";
import { examineSecurity } from "../../src/diagnostics/security.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import type { Services } from "../../src/services/services.ts";

function audit(document: object, token = "x".repeat(40)) {
  const config = wholeSchema.parse(document);
  const channel = (id: string, accountId: string) => ({
    channel: findChannel(id),
    context: { accountId, account: config.channels[id]?.accounts?.[accountId] },
  });
  const services = { config, channel, browserZone: () => undefined } as unknown as Services;
  const context = { services, secret: () => token } as unknown as DiagnosticsContext;
  return examineSecurity(context).map(({ id, status }) => `${status} ${id}`);
}

const open = (account: object) => ({ channels: { telegram: { accounts: { default: account } } } });

test("the security audit finds nothing in the defaults", () => {
  expect(audit(open({}))).toEqual(["ok security.audit"]);
});

test.each<[string, object, string[]]>([
  [
    "open groups",
    open({ groupPolicy: "open" }),
    ["warn security.exposure.open_groups", "warn budgets.none_for_open_access"],
  ],
  [
    "open groups with exec, files and the gateway",
    { ...open({ groupPolicy: "open" }), tools: { others: { allow: ["exec", "read", "gateway"] } } },
    [
      "warn security.exposure.open_groups",
      "fail security.exposure.open_groups_with_runtime_or_fs",
      "fail security.exposure.open_groups_with_control_plane_tools",
      "warn budgets.none_for_open_access",
    ],
  ],
  [
    "open direct messages with exec",
    { ...open({ dmPolicy: "open" }), tools: { others: { allow: ["exec"] } }, budgets: { perAgent: { usdPerDay: 1 } } },
    ["warn security.exposure.open_channels", "fail security.exposure.open_channels_with_exec"],
  ],
  ["flow off", { ...open({}), security: { flow: "off" } }, ["fail security.flow_off"]],
  [
    "owners whose names can be taken over, or that count everywhere",
    { ...open({}), commands: { ownerAllowFrom: ["telegram:@ada", "42"] } },
    ["fail channels.owner_by_username", "warn channels.owner_without_channel"],
  ],
  [
    "secrets that commands see",
    {
      ...open({}),
      skills: { entries: { a: { apiKey: { source: "env", id: "A_KEY" }, secretMode: "value" }, b: { enabled: true } } },
    },
    ["warn skills.secret_by_value"],
  ],
  ["one conversation for all", { ...open({}), session: { dmScope: "main" } }, ["warn dm.scope_main_multiuser"]],
])("the security audit finds %s", (_, document, expected) => {
  expect(audit(document)).toEqual(expected);
});

test("the security audit finds a token that can be guessed", () => {
  expect(audit(open({}), "hunter2")).toEqual(["warn gateway.token_too_short"]);
});
