import type { AccessPolicy } from "../channels/channel.ts";
import { agentIds } from "../config/agents.ts";
import type { Services } from "../services/services.ts";
import { capabilities, secretCapabilities } from "../turn/capabilities.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** The shortest access token that guessing does not find. */
const LEAST_TOKEN_CHARS = 24;

/** Something that is open, and how to close it. */
interface Finding {
  id: string;
  status: "warn" | "fail";
  message: string;
  fix: string;
  path?: string;
}

/**
 * The security audit: what the configuration opens to whom, by ids of OpenClaw's audit where it has one. What is
 * reachable is read from the capability matrix, which asks the code that enforces it.
 */
export function examineSecurity(context: DiagnosticsContext): Check[] {
  const { services } = context;
  if (services === undefined) return [];
  const findings = [
    ...tokenFindings(context),
    ...flowFindings(services),
    ...exposureFindings(services),
    ...ownerFindings(services),
    ...secretFindings(services),
  ];
  const found = findings.map((finding): Check => ({ ...finding, area: "security" }));
  if (found.length > 0) return found;
  return [{ id: "security.audit", area: "security", status: "ok", message: "Nothing is open that should not be." }];
}

function tokenFindings({ secret }: DiagnosticsContext): Finding[] {
  const token = secret("ISOPOD_TOKEN") ?? "";
  if (token.length >= LEAST_TOKEN_CHARS) return [];
  return [
    {
      id: "gateway.token_too_short",
      status: "warn",
      message: `ISOPOD_TOKEN has ${token.length} characters: it can be guessed.`,
      fix: "Take at least 32 random characters: openssl rand -base64 32.",
    },
  ];
}

function flowFindings({ config: { security } }: Services): Finding[] {
  if (security.flow !== "off") return [];
  return [
    {
      id: "security.flow_off",
      status: "fail",
      message:
        "A turn that has read a page or a stranger's words may send data anywhere and change its own rules unasked.",
      fix: "Set security.flow to ask or refuse.",
      path: "security.flow",
    },
  ];
}

/** Each account, with what strangers reach through it. */
function exposureFindings(services: Services): Finding[] {
  const { config } = services;
  const hasBudget = [config.budgets.global, config.budgets.perAgent].some((caps) => Object.keys(caps).length > 0);
  const given = strangersTools(services);
  return accountsOf(services).flatMap(({ where, path, policy }) => {
    const isOpenGroup = policy.groupPolicy === "open" && !policy.isVouchedFor;
    const isOpenDm = policy.dmPolicy === "open" && !policy.isVouchedFor;
    const open = [...(isOpenGroup ? ["groups"] : []), ...(isOpenDm ? ["direct messages"] : [])].join(" and ");
    const field = isOpenGroup ? "groupPolicy" : "dmPolicy";
    if (open === "") return [];
    const runtime = given.filter((tool) => ["exec", "read", "write", "edit", "apply_patch", "grep"].includes(tool));
    const control = given.filter((tool) => ["gateway", "cron"].includes(tool));
    return [
      {
        id: isOpenGroup ? "security.exposure.open_groups" : "security.exposure.open_channels",
        status: "warn" as const,
        message: `${where}: everybody may use ${open}.`,
        fix: `Set ${path}.${field} to allowlist${isOpenGroup ? "" : " or pairing"}.`,
        path: `${path}.${field}`,
      },
      ...exposed(
        runtime,
        isOpenGroup ? "security.exposure.open_groups_with_runtime_or_fs" : "security.exposure.open_channels_with_exec",
        where,
        open,
      ),
      ...exposed(control, "security.exposure.open_groups_with_control_plane_tools", where, open),
      ...(hasBudget
        ? []
        : [
            {
              id: "budgets.none_for_open_access",
              status: "warn" as const,
              message: `${where}: everybody may use ${open}, and no budget bounds what that costs.`,
              fix: "Set budgets.perAgent, such as usdPerDay.",
              path: "budgets",
            },
          ]),
    ];
  });
}

function exposed(tools: readonly string[], id: string, where: string, open: string): Finding[] {
  if (tools.length === 0) return [];
  return [
    {
      id,
      status: "fail",
      message: `${where}: ${open} are open to everybody, who then has ${tools.join(", ")}.`,
      fix: "Take these tools out of tools.others.allow, or close the account.",
      path: "tools.others",
    },
  ];
}

/** The tools that people who are not owners have in some conversation of an agent. */
function strangersTools(services: Services): string[] {
  const rows = agentIds(services.config)
    .slice(0, MAX_AGENTS)
    .flatMap((id) => capabilities(services, id))
    .filter(({ sender }) => sender === "other");
  const given = rows.flatMap(({ cells }) =>
    cells.flatMap(({ action, verdict, resource }) => (action === "use-tool" && verdict !== "deny" ? [resource] : [])),
  );
  return [...new Set(given)];
}

/** Most agents whose matrix is computed. */
const MAX_AGENTS = 20;

function ownerFindings(services: Services): Finding[] {
  const { commands, session } = services.config;
  const names = commands.ownerAllowFrom.filter((owner) => /(?:^|:)@/.test(owner));
  const bare = commands.ownerAllowFrom.filter((owner) => !owner.includes(":") && !owner.startsWith("@"));
  const isShared =
    session.dmScope === "main" && accountsOf(services).some(({ policy }) => policy.dmPolicy !== "disabled");
  return [
    ...names.map(
      (owner): Finding => ({
        id: "channels.owner_by_username",
        status: "fail",
        message: `The owner '${owner}' is named by a username, which somebody else can take.`,
        fix: "Name the numeric id: /whoami shows it.",
        path: "commands.ownerAllowFrom",
      }),
    ),
    ...bare.map(
      (owner): Finding => ({
        id: "channels.owner_without_channel",
        status: "warn",
        message: `The owner '${owner}' counts on every channel: whoever has this id on another one is an owner, too.`,
        fix: `Write the channel before it, such as telegram:${owner}.`,
        path: "commands.ownerAllowFrom",
      }),
    ),
    ...(isShared
      ? [
          {
            id: "dm.scope_main_multiuser",
            status: "warn" as const,
            message: "All people who write directly share one conversation, and each sees what the others said.",
            fix: "Set session.dmScope to auto or per-channel-peer.",
            path: "session.dmScope",
          },
        ]
      : []),
  ];
}

/** Secrets whose values commands see, so that they can be sent anywhere. */
function secretFindings({ config }: Services): Finding[] {
  return secretCapabilities(config.skills.entries).flatMap(({ skill, secrets, sees }) =>
    sees === "placeholder"
      ? []
      : [
          {
            id: "skills.secret_by_value",
            status: "warn" as const,
            message: `Commands of the skill '${skill}' see the value of ${secrets.join(", ")}, and can send it anywhere.`,
            fix: `Unless it signs with it, remove skills.entries.${skill}.secretMode and name its hosts.`,
            path: `skills.entries.${skill}.secretMode`,
          },
        ],
  );
}

function accountsOf(services: Services): { where: string; path: string; policy: AccessPolicy }[] {
  return Object.entries(services.config.channels).flatMap(([channelId, entry]) =>
    Object.keys(entry?.accounts ?? {}).map((accountId) => {
      const { channel, context } = services.channel(channelId, accountId);
      const path = `channels.${channelId}.accounts.${accountId}`;
      return { where: `${channelId}/${accountId}`, path, policy: channel.access(context.account) };
    }),
  );
}
