import type { GrantScope } from "../agent/tool.ts";
import { newId } from "../lib/ids.ts";
import { readSessionRow, saveSetting } from "./session-row.ts";
import type { Store } from "./store.ts";
import type { Grant } from "./stored-shapes.ts";

/** Most grants of a session; the oldest goes first. */
const MAX_GRANTS = 100;

/** Whether one of the grants covers a call. */
export function isGranted(grants: readonly Grant[], wanted: GrantScope): boolean {
  return grants.some(
    (grant) =>
      grant.tool === wanted.tool &&
      covers(grant.programs, wanted.programs) &&
      covers(grant.hosts, wanted.hosts) &&
      covers(grant.conversations, wanted.conversations),
  );
}

function covers(granted: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return wanted.every((one) => granted.includes(one));
}

/** Stores a grant, within the fence. The same scope again is the same grant. */
export function saveGrant(store: Store, scope: GrantScope, now: number): Grant {
  const grants = readGrants(store);
  const known = grants.find((grant) => isGranted([grant], scope) && isGranted([{ ...grant, ...scope }], grant));
  if (known !== undefined) return known;
  const grant = { id: newId("grt", now), grantedAt: now, ...scope };
  saveSetting(store, "grants", [...grants, grant].slice(-MAX_GRANTS));
  return grant;
}

/** The grants of a session, oldest first. */
export function readGrants(store: Store): readonly Grant[] {
  return readSessionRow(store)?.settings.grants ?? [];
}

/** Takes a grant back, within the fence; undefined if there is none with this id, or with an id that begins so. */
export function removeGrant(store: Store, id: string): Grant | undefined {
  const grants = readGrants(store);
  const found = grants.filter((grant) => grant.id === id || (id.length >= 4 && grant.id.endsWith(id)));
  const [grant] = found;
  if (found.length !== 1 || grant === undefined) return undefined;
  saveSetting(
    store,
    "grants",
    grants.filter((one) => one !== grant),
  );
  return grant;
}

/** A grant in words: `exec: cat, curl; hosts api.example.org`. */
export function grantText({ tool, programs = [], hosts = [], conversations = [] }: GrantScope): string {
  const parts = [
    ...(programs.length > 0 ? [programs.join(", ")] : []),
    ...(hosts.length > 0 ? [`hosts ${hosts.join(", ")}`] : []),
    ...(conversations.length > 0 ? [`to ${conversations.join(", ")}`] : []),
  ];
  return parts.length === 0 ? tool : `${tool}: ${parts.join("; ")}`;
}
