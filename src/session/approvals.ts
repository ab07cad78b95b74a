import type { IndexSync } from "../index-sync/index-sync.ts";
import type { AuditTrail } from "../session-store/audit-trail.ts";
import type { Fence } from "../session-store/fence.ts";
import { grantText, readGrants, removeGrant, saveGrant } from "../session-store/grants.ts";
import type { Decision } from "../session-store/run.ts";
import type { Store } from "../session-store/store.ts";
import type { Grant } from "../session-store/stored-shapes.ts";
import type { RunScheduler } from "./run-scheduler.ts";

/** Dependencies of `Approvals`. */
export interface ApprovalsDeps {
  store: Store;
  fence: Fence;
  scheduler: Pick<RunScheduler, "decide">;
  audit: Pick<AuditTrail, "write">;
  indexSync: Pick<IndexSync, "forgetApprovals">;
  /** Called when something is to be done since. */
  changed(): void;
  now(): number;
  /** Keeps the object alive for work that no caller awaits. */
  waitUntil(promise: Promise<unknown>): void;
}

/** What an owner has decided on a session's tool calls: single calls, and what is allowed from now on. */
export class Approvals {
  readonly #deps: ApprovalsDeps;

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
  }

  /** Stores the decision on a tool call that waits for approval. False if none with this id is pending. */
  decide(approvalId: string, given: Decision): boolean {
    const { store, fence, scheduler, audit, indexSync, changed, now, waitUntil } = this.#deps;
    const decided = scheduler.decide(approvalId, given);
    if (decided === undefined) return false;
    const { tool, grant, runId, decision } = decided;
    const isAlways = decision === "allow-always" && grant !== undefined;
    if (isAlways) fence.write(() => saveGrant(store, grant, now()));
    const detail = isAlways ? `${decision} ${grantText(grant)}` : decision;
    audit.write([{ kind: "approval", by: "owner", subject: tool, detail, runId }]);
    waitUntil(indexSync.forgetApprovals(runId));
    changed();
    return true;
  }

  /** What is allowed in this session from now on. */
  grants(): readonly Grant[] {
    return readGrants(this.#deps.store);
  }

  /** Takes back what was allowed from now on. Undefined if nothing has this id. */
  revoke(grantId: string): Grant | undefined {
    const { store, fence, audit, changed } = this.#deps;
    const grant = fence.write(() => removeGrant(store, grantId));
    if (grant === undefined) return undefined;
    audit.write([{ kind: "approval", by: "owner", subject: grant.tool, detail: `revoked ${grantText(grant)}` }]);
    changed();
    return grant;
  }
}
