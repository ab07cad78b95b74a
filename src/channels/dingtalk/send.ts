import { z } from "zod";
import { head } from "../../lib/text.ts";
import type { Buttons, Delivery, OutboundPart, Target } from "../channel.ts";
import { dingtalkMarkup } from "../markup/markdown-platforms.ts";
import { deliveryOf, STOPPED } from "../platform-call.ts";
import { credentialsMissing, type DingtalkContext, dingtalkCredentials } from "./account.ts";
import { callDingtalk, type DingtalkAnswer, postToAddress } from "./api.ts";
import { explainRefusal, isAddressGone } from "./refusals.ts";

/**
 * Sends one part: to the address that came with the message, while it is valid, else as the robot. `deliveryId` is not
 * used: DingTalk has no idempotency key.
 */
export async function sendPart(part: OutboundPart, context: DingtalkContext, signal: AbortSignal): Promise<Delivery> {
  const { target, token: address, buttons = [] } = part;
  if (signal.aborted) return STOPPED;
  const text = withAnswers(part.text, buttons, target.kind);
  const markdown = { title: titleOf(part.text), text };
  if (address !== undefined) {
    const answer = await postToAddress(context, address, { msgtype: "markdown", markdown }, signal);
    if (!isAddressGone(answer)) return toDelivery(answer, context);
  }
  return sendAsRobot(target, { msgKey: "sampleMarkdown", msgParam: markdown }, context, signal);
}

const MAX_TITLE_CHARS = 40;

/** What lists of conversations and notifications show. */
function titleOf(text: string): string {
  const [line = ""] = dingtalkMarkup.plain(text).trim().split("\n");
  return head(line.replace(/^[#>\s-]+/, ""), MAX_TITLE_CHARS) || "Isopod";
}

/** A link that sends a text as the person who presses it; in a group such a text does not address the robot. */
function withAnswers(text: string, buttons: Buttons, kind: Target["kind"]): string {
  const answers = buttons.flat().map(({ label, says }) => {
    if (kind !== "direct") return `${label}: \`${says}\``;
    return `[${label}](dtmd://dingtalkclient/sendMessage?content=${encodeURIComponent(says)})`;
  });
  return [text, ...answers].join("\n\n");
}

/** A message of the robot, by DingTalk's templates. */
export interface RobotMessage {
  msgKey: "sampleMarkdown" | "sampleImageMsg" | "sampleFile" | "sampleVideo";
  msgParam: object;
}

/** Sends a message as the robot: to a person by the staff id, or to a group. */
export async function sendAsRobot(
  { kind, conversationId, via }: Target,
  { msgKey, msgParam }: RobotMessage,
  context: DingtalkContext,
  signal: AbortSignal,
): Promise<Delivery> {
  const credentials = dingtalkCredentials(context);
  if (credentials === undefined) return { outcome: "failed", reason: credentialsMissing(context) };
  const message = { robotCode: credentials.robotCode, msgKey, msgParam: JSON.stringify(msgParam) };
  const staffId = via ?? conversationId;
  if (kind === "direct" && staffId.startsWith("cid")) return { outcome: "failed", reason: STRANGER };
  const request =
    kind === "direct"
      ? { path: "robot/oToMessages/batchSend", body: { ...message, userIds: [staffId] } }
      : { path: "robot/groupMessages/send", body: { ...message, openConversationId: conversationId } };
  return toDelivery(asRefusal(await callDingtalk(context, credentials, request, signal)), context);
}

const STRANGER =
  "DingTalk lets the robot write first to people of its company alone: this person has to write, and the answer can go out for an hour and a half.";

const sentMessage = z.object({
  processQueryKey: z.string().optional(),
  invalidStaffIdList: z.array(z.string()).default([]),
  flowControlledStaffIdList: z.array(z.string()).default([]),
});

/** The one receiver may be refused with 200. */
function asRefusal(answer: DingtalkAnswer): DingtalkAnswer {
  const read = answer.kind === "ok" ? sentMessage.safeParse(answer.json).data : undefined;
  if (answer.kind !== "ok" || read === undefined) return answer;
  const refused = { kind: "refused", json: answer.json } as const;
  if (read.invalidStaffIdList.length > 0) {
    return { ...refused, status: 400, code: "invalidStaffIdList", description: "invalidStaffIdList" };
  }
  return read.flowControlledStaffIdList.length > 0
    ? { ...refused, status: 429, code: "flowControlled", description: "too many messages to this person" }
    : answer;
}

/** The delivery outcome of a request. */
export function toDelivery(answer: DingtalkAnswer, context: DingtalkContext): Delivery {
  return deliveryOf(answer, {
    platform: "DingTalk",
    externalId: (json) => sentMessage.safeParse(json).data?.processQueryKey,
    explain: () => (answer.kind === "refused" ? explainRefusal(answer, context) : undefined),
  });
}
