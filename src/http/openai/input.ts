import type { Context } from "hono";
import { agentOf } from "../../config/agents.ts";
import type { ThinkingLevel } from "../../models/model.ts";
import type { RunInput } from "../../session-store/run.ts";
import { requestInput } from "../../session-store/run-request.ts";
import type { AppEnv } from "../context.ts";
import type { Said } from "./conversation.ts";
import { keepFiles } from "./files.ts";

/**
 * What a run is asked that is to answer what was said; its files are in the workspace then. The header
 * `x-isopod-model` names the `provider/model` that is to answer, because the body's model names the agent.
 * @throws IsopodError `invalid_request` for a file or a model that cannot be had
 */
export async function inputOf(
  c: Context<AppEnv>,
  agentId: string,
  said: Said,
  thinking: ThinkingLevel | undefined,
): Promise<RunInput> {
  const services = c.get("services");
  const model = c.req.header("x-isopod-model") ?? c.req.header("x-openclaw-model");
  const request = { message: said.text, ...(model && { model }), ...(thinking && { thinking }) };
  const input = requestInput(request, agentId, services);
  const kept = await keepFiles(said.files, services.workspaceOf(agentOf(services.config, agentId)));
  return {
    ...input,
    text: [said.text, ...kept.map(({ note }) => note)].filter((part) => part !== "").join("\n\n"),
    images: kept.flatMap(({ image }) => image ?? []),
    ...(said.extraContext !== undefined && { extraContext: said.extraContext }),
  };
}
