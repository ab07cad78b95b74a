import { idleFields } from "../config/schema-lookup.ts";
import { jsonSchemaOf } from "../config/schema-node.ts";
import { wholeSchema } from "../services/config-schema.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most lines of one kind. */
const MAX_LINES = 50;

/** Whether the configuration is valid, which one is in force, and what in it does nothing. */
export function examineConfiguration({ configuration, secret }: DiagnosticsContext): Check[] {
  return [
    ...inForce(configuration),
    ...faults(configuration),
    ...overlooked(configuration, secret),
    ...idle(configuration),
  ];
}

type View = DiagnosticsContext["configuration"];

const NAMES: Readonly<Record<View["source"], string>> = {
  stored: "The configuration is valid",
  environment: "The configuration of ISOPOD_CONFIG is valid",
  defaults: "There is no configuration; the defaults hold",
};

function inForce({ source, revision, inForce, faults }: View): Check[] {
  const head = { id: "configuration.valid", area: "configuration" } as const;
  if (faults.length === 0) {
    const which = source === "stored" ? `, at revision ${revision}` : "";
    return [{ ...head, status: "ok", message: `${NAMES[source]}${which}.` }];
  }
  if (inForce === null) {
    const message = `The configuration is not valid${source === "stored" ? ` (revision ${revision})` : ""}, so nothing runs.`;
    const fix = source === "stored" ? MEND : "Correct the variable ISOPOD_CONFIG, or store one with PUT /v1/config.";
    return [{ ...head, status: "fail", message, fix }];
  }
  const message = `Revision ${revision} is not valid any more; revision ${inForce} is in force.`;
  return [{ ...head, status: "fail", message, fix: MEND }];
}

const MEND = "Correct it with PATCH /v1/config, or go back with POST /v1/config/rollback.";

function faults({ faults }: View): Check[] {
  return faults.slice(0, MAX_LINES).map(({ path, message }) => ({
    id: `configuration.fault.${path}`,
    area: "configuration",
    status: "fail",
    message: `${path}: ${message}`,
    fix: "GET /v1/config/schema says what may stand there.",
    path,
  }));
}

/** A variable that counts for nothing misleads whoever changes it. */
function overlooked({ source, revision }: View, secret: DiagnosticsContext["secret"]): Check[] {
  if (source !== "stored" || (secret("ISOPOD_CONFIG") ?? "").trim() === "") return [];
  return [
    {
      id: "configuration.variable",
      area: "configuration",
      status: "warn",
      message: `ISOPOD_CONFIG is set and does not count: revision ${revision} is stored.`,
      fix: "Take the variable away, and change the configuration with PATCH /v1/config.",
      path: "ISOPOD_CONFIG",
    },
  ];
}

function idle({ document }: View): Check[] {
  return idleFields(jsonSchemaOf(wholeSchema), document)
    .slice(0, MAX_LINES)
    .map(({ path, status }) => ({
      id: `configuration.idle.${path}`,
      area: "configuration",
      status: "warn",
      message: `${path} is set and ${status === "planned" ? "does nothing yet" : "has no use here"}.`,
      fix: status === "planned" ? "Do not count on it; it may stay for later." : "Take it out.",
      path,
    }));
}
