import { agentIds } from "../config/agents.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Checks that the agents and accounts that the configuration names exist. */
export function examineAgents({ services }: DiagnosticsContext): Check[] {
  if (services === undefined) return [];
  const { config } = services;
  const known = agentIds(config);
  const { defaults, list } = config.agents;
  const named = [
    ...defaults.subagents.allowAgents.map((id) => ({ path: "agents.defaults.subagents.allowAgents", id })),
    ...list.flatMap(({ subagents }, at) =>
      (subagents?.allowAgents ?? []).map((id) => ({ path: `agents.list[${at}].subagents.allowAgents`, id })),
    ),
    ...config.tools.agentToAgent.allow.map((id) => ({ path: "tools.agentToAgent.allow", id })),
  ];
  const absent = named.filter(({ id }) => id !== "*" && !known.includes(id));
  const summary: Check = {
    id: "agents.known",
    area: "agents",
    status: "ok",
    message: `Agents: ${known.slice(0, 20).join(", ")}${known.length > 20 ? ` and ${known.length - 20} more` : ""}.`,
  };
  return [
    summary,
    ...absent.map(
      ({ path, id }): Check => ({
        id: `agents.absent.${path}.${id}`,
        area: "agents",
        status: "warn",
        message: `${path} names the agent '${id}', which does not exist.`,
        fix: "Add it to agents.list, or remove the name.",
        path,
      }),
    ),
    ...examineBindingTargets(config),
  ];
}

type Config = NonNullable<DiagnosticsContext["services"]>["config"];

/** Warns of bindings to accounts that do not exist, which have no effect. */
function examineBindingTargets({ bindings, channels }: Config): Check[] {
  return bindings.flatMap(({ match: { channel, accountId = "default" } }, at): Check[] => {
    const accounts = Object.keys(channels[channel]?.accounts ?? {});
    if (accounts.includes(accountId) || (accountId === "*" && accounts.length > 0)) return [];
    const path = `bindings[${at}].match`;
    return [
      {
        id: `agents.route.${at}`,
        area: "agents",
        status: "warn",
        message: `${path} is for the account '${accountId}' of '${channel}', which does not exist.`,
        fix: `Add it to channels.${channel}.accounts, or remove the binding.`,
        path,
      },
    ];
  });
}
