import { idleFields } from "../config/schema-lookup.ts";
import { jsonSchemaOf } from "../config/schema-node.ts";
import { wholeSchema } from "../services/config-schema.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most checks of one kind. */
const MAX_LINES = 50;

/** Checks that the configuration is valid, which revision is in force, and which of its fields have no effect. */
export function examineConfiguration({ configuration, secret }: DiagnosticsContext): Check[] {
  return [
    ...inForce(configuration),
    ...faults(configuration),
    ...overriddenVariable(configuration, secret),
    ...idleFieldChecks(configuration),
  ];
}

type View = DiagnosticsContext["configuration"];

const NAMES: Readonly<Record<View["source"], string>> = {
  stored: "The configuration is valid",
  environment: "The configuration of ISOPOD_CONFIG is valid",
  defaults: "There is no configuration; the defaults apply",
};

function inForce({ source, revision, inForce, faults }: View): Check[] {
  const head = { id: "configuration.valid", area: "configuration" } as const;
  if (faults.length === 0) {
    const which = source === "stored" ? `, at revision ${revision}` : "";
    return [{ ...head, status: "ok", message: `${NAMES[source]}${which}.` }];
  }
  if (inForce === null) {
    const message = `The configuration is not valid${source === "stored" ? ` (revision ${revision})` : ""}, so nothing runs.`;
    const fix =
      source === "stored" ? FIX_STORED : "Correct the variable ISOPOD_CONFIG, or store one with PUT /v1/config.";
    return [{ ...head, status: "fail", message, fix }];
  }
  const message = `Revision ${revision} is not valid any more; revision ${inForce} is in force.`;
  return [{ ...head, status: "fail", message, fix: FIX_STORED }];
}

const FIX_STORED = "Correct it with PATCH /v1/config, or go back with POST /v1/config/rollback.";

function faults({ faults }: View): Check[] {
  return faults.slice(0, MAX_LINES).map(({ path, message }) => ({
    id: `configuration.fault.${path}`,
    area: "configuration",
    status: "fail",
    message: `${path}: ${message}`,
    fix: "GET /v1/config/schema says which values are allowed.",
    path,
  }));
}

/** Warns of an `ISOPOD_CONFIG` that a stored configuration overrides. */
function overriddenVariable({ source, revision }: View, secret: DiagnosticsContext["secret"]): Check[] {
  if (source !== "stored" || (secret("ISOPOD_CONFIG") ?? "").trim() === "") return [];
  return [
    {
      id: "configuration.variable",
      area: "configuration",
      status: "warn",
      message: `ISOPOD_CONFIG is set and ignored, because revision ${revision} is stored.`,
      fix: "Remove the variable, and change the configuration with PATCH /v1/config.",
      path: "ISOPOD_CONFIG",
    },
  ];
}

function idleFieldChecks({ document }: View): Check[] {
  return idleFields(jsonSchemaOf(wholeSchema), document)
    .slice(0, MAX_LINES)
    .map(({ path, status }) => ({
      id: `configuration.idle.${path}`,
      area: "configuration",
      status: "warn",
      message: `${path} is set and ${status === "planned" ? "does nothing yet" : "has no effect here"}.`,
      fix: status === "planned" ? "It may stay for a later version." : "Remove it.",
      path,
    }));
}
