import { z } from "zod";

const person = z.object({ id: z.string(), name: z.string().nullish(), aadObjectId: z.string().nullish() });

const named = z.object({ id: z.string().nullish(), name: z.string().nullish() });

const attachment = z.object({
  contentType: z.string().nullish(),
  contentUrl: z.string().nullish(),
  name: z.string().nullish(),
  content: z.unknown().optional(),
});

const entity = z.object({
  type: z.string().nullish(),
  mentioned: named.nullish(),
  quotedReply: z
    .object({ messageId: z.string().nullish(), senderName: z.string().nullish(), preview: z.string().nullish() })
    .nullish(),
});

const activity = z.object({
  type: z.enum(["message", "messageUpdate", "messageDelete", "invoke"]),
  id: z.string(),
  timestamp: z.string().nullish(),
  serviceUrl: z.string(),
  from: person,
  recipient: person,
  conversation: z.object({
    id: z.string(),
    name: z.string().nullish(),
    conversationType: z.string().nullish(),
    isGroup: z.boolean().nullish(),
  }),
  text: z.string().nullish(),
  textFormat: z.string().nullish(),
  /** What is invoked. */
  name: z.string().nullish(),
  /** What a pressed button brings. */
  value: z.unknown().optional(),
  replyToId: z.string().nullish(),
  attachments: z.array(attachment).nullish(),
  entities: z.array(entity).nullish(),
  channelData: z
    .object({
      eventType: z.string().nullish(),
      team: named.nullish(),
      teamsTeamId: z.string().nullish(),
      channel: named.nullish(),
    })
    .nullish(),
});

/** What every activity has, also of a kind that is not read. */
const envelope = z.object({ type: z.string(), channelId: z.string(), serviceUrl: z.string().nullish() });

/** The fields of an activity that are read. */
export type Activity = z.output<typeof activity>;
export type TeamsAttachment = z.output<typeof attachment>;

export type ReadActivity =
  | { kind: "activity"; serviceUrl: string; channelId: string; activity: Activity }
  /** An irrelevant kind. */
  | { kind: "other"; serviceUrl: string | undefined; channelId: string; reason: string }
  | { kind: "invalid"; problem: string };

const RELEVANT: ReadonlySet<string> = new Set(activity.shape.type.options);

/**
 * Parses one webhook call. Unknown fields and kinds are ignored.
 * @see https://github.com/microsoft/botframework-sdk/blob/main/specs/botframework-activity/botframework-activity.md
 */
export function readActivity(body: unknown): ReadActivity {
  const head = envelope.safeParse(body);
  if (!head.success) return { kind: "invalid", problem: z.prettifyError(head.error) };
  const { type, channelId, serviceUrl } = head.data;
  if (!RELEVANT.has(type)) {
    return { kind: "other", serviceUrl: serviceUrl ?? undefined, channelId, reason: `an activity of the kind ${type}` };
  }
  const parsed = activity.safeParse(body);
  if (!parsed.success) return { kind: "invalid", problem: z.prettifyError(parsed.error) };
  return { kind: "activity", serviceUrl: parsed.data.serviceUrl, channelId, activity: parsed.data };
}
