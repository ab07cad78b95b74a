import type { Request } from "./http.ts";

/** The agent whose skills a request is about. */
export interface SkillPlace {
  agentId: string;
  /** Whether the request is about the skills of all agents. */
  global: boolean;
}

/** Where a skill is installed from. */
export type SkillOrigin =
  | { kind: "archive"; bytes: Uint8Array<ArrayBuffer>; type: "application/zip" | "application/gzip" }
  | { kind: "url"; url: string }
  | { kind: "slug"; slug: string; version?: string };

/** A request about skills, before it becomes an HTTP request. */
export type SkillRequest =
  | { verb: "list" }
  | { verb: "show" | "remove" | "verify"; name: string }
  | { verb: "accept"; name: string; seen?: string | undefined }
  | { verb: "install"; origin: SkillOrigin; replace: boolean; version?: string | undefined; path?: string | undefined }
  | { verb: "update"; name: string; force: boolean; version?: string | undefined };

/** The HTTP request of a request about skills. Pure. */
export function skillRequest({ agentId, global }: SkillPlace, request: SkillRequest): Request {
  const all = `/v1/agents/${encodeURIComponent(agentId)}/skills`;
  const one = "name" in request ? `${all}/${encodeURIComponent(request.name)}` : all;
  const scope = global ? "?global=true" : "";
  switch (request.verb) {
    case "list":
    case "show":
      return { path: one };
    case "remove":
      return { method: "DELETE", path: `${one}${scope}` };
    case "verify":
      return { method: "POST", path: `${one}/verify${scope}` };
    case "accept": {
      const { seen } = request;
      return { method: "POST", path: `${one}/accept${scope}`, ...(seen !== undefined && { body: { seen } }) };
    }
    case "update": {
      const { force, version } = request;
      return { method: "POST", path: `${one}/update${scope}`, body: { force, version } };
    }
    case "install":
      return installRequest(all, global, request);
  }
}

function installRequest(path: string, global: boolean, request: Extract<SkillRequest, { verb: "install" }>): Request {
  const { origin, replace, version, path: inside } = request;
  if (origin.kind === "archive") {
    const query = new URLSearchParams({
      ...(global && { global: "true" }),
      ...(replace && { replace: "true" }),
      ...(inside !== undefined && { path: inside }),
    });
    const headers = { "content-type": origin.type };
    return { method: "POST", path: query.size === 0 ? path : `${path}?${query}`, content: origin.bytes, headers };
  }
  const from =
    origin.kind === "url" ? { url: origin.url, version } : { slug: origin.slug, version: version ?? origin.version };
  return { method: "POST", path, body: { ...from, path: inside, global, replace } };
}
