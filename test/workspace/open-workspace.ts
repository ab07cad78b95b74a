import { env } from "cloudflare:test";
import { newId } from "../../src/lib/ids.ts";
import { createR2Workspace, type R2WorkspaceOptions } from "../../src/workspace/r2.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { type Fault, watchBucket } from "./watch-bucket.ts";

let agents = 0;

/** A new and empty workspace in the local R2. */
export function openWorkspace(options: Partial<R2WorkspaceOptions> = {}): Workspace {
  return createR2Workspace({
    bucket: env.FILES,
    agentId: `agent-${agents++}`,
    now: () => Date.now(),
    newVersionId: () => newId("ver", Date.now()),
    wait: async () => undefined,
    ...options,
  });
}

/** A new workspace whose store calls are recorded, and made to fail where wanted. */
export function watchWorkspace(fault?: Fault, options: Partial<R2WorkspaceOptions> = {}) {
  const agentId = `watched-${agents++}`;
  const { bucket, calls } = watchBucket(env.FILES, fault);
  return {
    workspace: openWorkspace({ bucket, agentId, ...options }),
    calls,
    agentId,
    prefix: `agents/${agentId}/workspace/`,
  };
}
