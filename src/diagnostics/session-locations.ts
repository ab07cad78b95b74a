import { locationOf } from "../config/session-location.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { addressOf } from "../services/call-session.ts";
import { callSession } from "../session/api.ts";
import { listSessions } from "../session-store/session-index.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Most sessions that are checked: the latest ones. */
const MAX_SESSIONS = 500;
/** Most sessions that are named. */
const MAX_NAMED = 3;

/** Most sessions that are asked whether they answer: the latest ones. Each is woken for it. */
const MAX_ASKED = 10;

/** Checks whether the latest sessions can be read. */
export async function examineSessions({
  bindings,
  services,
}: Pick<DiagnosticsContext, "bindings" | "services">): Promise<Check[]> {
  if (services === undefined) return [];
  const rows = await listSessions(bindings.DB, { agentId: undefined, since: 0, limit: MAX_ASKED });
  const checks = await Promise.all(
    rows.map(async ({ key }): Promise<Check | undefined> => {
      try {
        // A session that exists leads to where it is; one that does not must not begin for a look.
        const address = await addressOf(bindings, key, "caller");
        await callSession(bindings, address, (session) => session.grants());
        return undefined;
      } catch (error) {
        const fix =
          error instanceof IsopodError && error.hint !== undefined ? error.hint.replace("{key}", key) : TRY_AGAIN;
        return { id: `sessions.${key}`, area: "sessions", status: "fail", message: `${key}: ${messageOf(error)}`, fix };
      }
    }),
  );
  return checks.flatMap((check) => check ?? []);
}

const TRY_AGAIN = "Try again in a moment; the Worker's log says more.";

/** Checks whether sessions live where the configuration places new ones: the setting does not move those that exist. */
export async function examineSessionLocations({ bindings, services }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const { config, host } = services;
  const rows = await listSessions(bindings.DB, { agentId: undefined, since: 0, limit: MAX_SESSIONS });
  const placed = rows.map(({ key, location }) => ({ key, is: location ?? "caller", wanted: locationOf(config, key) }));
  const elsewhere = placed.filter(({ is, wanted }) => is !== wanted);
  const head = { id: "sessions.locations", area: "sessions", path: "session.location" } as const;
  if (host === "workerd" && placed.some(({ wanted }) => wanted === "eu")) {
    return [
      {
        ...head,
        status: "warn",
        message:
          "Sessions are to be within the jurisdiction 'eu', and this is not Cloudflare: they are on this machine.",
        fix: "Deploy Isopod to Cloudflare, or take the location out.",
      },
    ];
  }
  if (elsewhere.length === 0) {
    return [{ ...head, status: "ok", message: `The latest ${placed.length} sessions live where new ones would.` }];
  }
  const named = elsewhere.slice(0, MAX_NAMED).map(({ key, is, wanted }) => `${key} (${is}, not ${wanted})`);
  const others = elsewhere.length > MAX_NAMED ? " and others" : "";
  return [
    {
      ...head,
      status: "warn",
      message: `${elsewhere.length} of the latest ${placed.length} sessions live elsewhere than new ones would: ${named.join(", ")}${others}.`,
      fix: "Move them with POST /v1/sessions/{key}/move, or leave them where they are.",
    },
  ];
}
