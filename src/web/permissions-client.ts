import { requestJson, requestOk, type Server, sessionPath } from "../client/http.ts";
import { type Grants, isGrants, isListing, type WorkspaceListing } from "../client/wire.ts";

export type Grant = Grants["grants"][number];

/** A file with words that are not the owner's. */
export type ForeignFile = Extract<WorkspaceListing["entries"][number], { kind: "file" }>;

/** What is allowed for good in a session. @throws ApiError */
export async function grantsOf(server: Server, sessionKey: string): Promise<readonly Grant[]> {
  return (await requestJson(server, { path: sessionPath(sessionKey, "grants") }, isGrants)).grants;
}

/** Takes back what was allowed for good. @throws ApiError */
export function revokeGrant(server: Server, sessionKey: string, id: string): Promise<void> {
  const path = `${sessionPath(sessionKey, "grants")}/${encodeURIComponent(id)}`;
  return requestOk(server, { method: "DELETE", path });
}

/** The files of an agent with words that no owner has accepted. @throws ApiError */
export async function foreignFiles(server: Server, agentId: string): Promise<readonly ForeignFile[]> {
  const path = `/v1/agents/${encodeURIComponent(agentId)}/workspace?recursive=true`;
  const { entries } = await requestJson(server, { path }, isListing);
  return entries.filter((entry): entry is ForeignFile => entry.kind === "file" && entry.labels !== undefined);
}

/** Accepts the words of this version of a file as the owner's. @throws ApiError */
export function acceptWords(server: Server, agentId: string, { path, etag }: ForeignFile): Promise<void> {
  const where = path.split("/").map(encodeURIComponent).join("/");
  return requestOk(server, {
    method: "DELETE",
    path: `/v1/agents/${encodeURIComponent(agentId)}/labels/${where}`,
    headers: { "If-Match": `"${etag}"` },
  });
}
