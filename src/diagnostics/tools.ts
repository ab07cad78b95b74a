import { RESERVED_TOOLS, reservedIn, type ToolPolicy } from "../security/tool-policy.ts";
import type { Services } from "../services/services.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Warns of tools that policies give and Isopod does not have. */
export function examineTools({ services }: DiagnosticsContext): Check[] {
  if (services === undefined) return [];
  return policiesOf(services.config).flatMap(({ path, policy }) =>
    reservedIn(policy?.allow ?? []).map(
      (tool): Check => ({
        id: `agents.tool.${path}.${tool}`,
        area: "agents",
        status: "warn",
        message: `${path}.allow names '${tool}', which is not there: ${RESERVED_TOOLS.get(tool)}`,
        fix: "Remove the name.",
        path: `${path}.allow`,
      }),
    ),
  );
}

/** The policies of the configuration, without those of single groups. */
function policiesOf({ tools, agents }: Services["config"]): { path: string; policy: ToolPolicy | undefined }[] {
  const entries = (path: string, policies: Readonly<Record<string, ToolPolicy>>) =>
    Object.entries(policies).map(([key, policy]) => ({ path: `${path}.${key}`, policy }));
  return [
    { path: "tools", policy: tools },
    { path: "tools.others", policy: tools.others },
    ...entries("tools.byChannel", tools.byChannel),
    ...entries("tools.bySender", tools.bySender),
    ...agents.list.map(({ tools: policy }, at) => ({ path: `agents.list[${at}].tools`, policy })),
  ];
}
