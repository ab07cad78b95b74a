import { withoutTags } from "../../agent/reply-tags.ts";
import type { Target } from "../../channels/channel.ts";
import { agentIn } from "../../services/services.ts";
import type { Part } from "../../session-store/outbox.ts";
import type { AttachedFile, DeliverySource } from "../../session-store/stored-shapes.ts";
import type { OwnMessage } from "../../tools/message.ts";
import type { ActiveRun } from "../active-run.ts";
import { attach, fileLine } from "./files.ts";
import { replyTargets } from "./native-reply.ts";
import type { OutboxPortDeps } from "./outbox-port.ts";

/**
 * What a message of the agent's own is sent as, once plugins have looked at it: its text, then its files. `told` is what
 * the session is told of it whose people get it.
 * @throws Error that says why it may not be sent
 */
export async function messageParts(
  { text: written, replyTo, files = [], buttons }: OwnMessage,
  target: Target,
  run: ActiveRun,
  deps: OutboxPortDeps,
): Promise<{ parts: Part[]; told: string }> {
  const { text, directives } = withoutTags(written);
  const answered = replyTo === undefined ? directives.replyTo : { id: replyTo };
  const { first, rest } = replyTargets(target, "off", { ...(answered && { replyTo: answered }), isFirst: false });
  const paths = [...new Set([...files, ...(directives.files ?? [])])];
  const attached = await attachedTo(paths, directives.asVoice === true, run, deps);
  const message: DeliverySource = { kind: "message", text, ...(buttons && { buttons }) };
  const parts = text.trim() === "" ? [] : await ready(text, message, first, run, deps);
  for (const file of attached) {
    const place = parts.length === 0 ? first : rest;
    parts.push(...(await ready(fileLine(file), file, place, run, deps)).slice(0, 1));
  }
  if (parts.length === 0) throw new Error("There is nothing to see in it.");
  return { parts, told: [text.trim(), ...attached.map(fileLine)].filter((line) => line !== "").join("\n") };
}

async function ready(
  markdown: string,
  said: DeliverySource,
  place: Target,
  { row }: ActiveRun,
  { deliveries }: OutboxPortDeps,
): Promise<Part[]> {
  const parts = await deliveries.ready(markdown, place, row.id);
  if ("refusal" in parts) throw new Error(`It was not sent. ${parts.refusal}`);
  return parts.map((part, n) => (n === 0 ? { ...part, source: said } : part));
}

async function attachedTo(
  paths: readonly string[],
  asVoice: boolean,
  { principal }: ActiveRun,
  { services, owner }: OutboxPortDeps,
): Promise<readonly AttachedFile[]> {
  if (paths.length === 0) return [];
  if (!principal.owner) throw new Error("Only an owner may have files of the workspace sent.");
  const workspace = services().workspaceOf(agentIn(services(), owner().agentId));
  const { files, problems } = await attach(paths, asVoice, workspace);
  if (problems.length > 0) throw new Error(`Nothing was sent.\n${problems.join("\n")}`);
  return files;
}
