import { Hono } from "hono";
import { IsopodError } from "../lib/errors.ts";
import { DATA_KEY_HINT } from "../security/data-key.ts";
import { readFileLink } from "../services/file-links.ts";
import { agentIn } from "../services/services.ts";
import { WorkspaceError } from "../workspace/workspace.ts";
import type { AppEnv } from "./context.ts";
import { DATA_HEADERS, fileResponse } from "./file-response.ts";

/** `/files/<signed>/<name>`: what a chat that takes no files gets a link to. Public by the link's signature. */
export const fileRoutes = new Hono<AppEnv>();

const GONE = "Ask the agent for it again.";

fileRoutes.get("/files/:signed/:name", async (c) => {
  const services = c.get("services");
  const { dataKey } = services;
  if (dataKey === undefined) throw new IsopodError("not_configured", "Links to files are not set up.", DATA_KEY_HINT);
  const file = await readFileLink(c.req.param("signed"), { dataKey, now: Date.now() });
  if (file === undefined) throw new IsopodError("not_found", "There is no such link.");
  if (file === "expired") throw new IsopodError("gone", "This link has expired.", GONE);
  if (file.kind === "text") {
    const kept = await c.env.FILES.get(file.key);
    if (kept === null) throw new IsopodError("gone", "This text is not kept any more.", GONE);
    return new Response(kept.body, { headers: { ...DATA_HEADERS, "Content-Type": "text/plain; charset=utf-8" } });
  }
  const content = await services
    .workspaceOf(agentIn(services, file.agentId))
    .read(file.path)
    .catch((error: unknown) => {
      if (error instanceof WorkspaceError && error.code === "not_found") return undefined;
      throw error;
    });
  if (content?.file.etag !== file.etag) throw new IsopodError("gone", "This file was changed or deleted since.", GONE);
  return fileResponse(content, false);
});
