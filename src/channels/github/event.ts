import { z } from "zod";

const user = z.object({ id: z.int(), login: z.string(), type: z.string().nullish() });

/** What all kinds of texts have. The author is absent once the account is deleted. */
const authored = {
  id: z.int(),
  body: z.string().nullish(),
  user: user.nullish(),
  updated_at: z.string().nullish(),
};

/** An issue, a pull request or a discussion. */
const opening = z.object({
  ...authored,
  number: z.int(),
  title: z.string(),
  node_id: z.string().nullish(),
});

const comment = z.object({
  ...authored,
  in_reply_to_id: z.int().nullish(),
  path: z.string().nullish(),
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  diff_hunk: z.string().nullish(),
  commit_id: z.string().nullish(),
});

const review = z.object({ ...authored, state: z.string(), submitted_at: z.string().nullish() });

const payload = z.object({
  action: z.string(),
  sender: user,
  repository: z.object({ full_name: z.string() }),
  installation: z.object({ id: z.int() }).nullish(),
  issue: opening.optional(),
  pull_request: opening.optional(),
  discussion: opening.optional(),
  comment: comment.optional(),
  review: review.optional(),
  assignee: user.nullish(),
  requested_reviewer: user.nullish(),
});

export type GithubUser = z.output<typeof user>;
export type GithubOpening = z.output<typeof opening>;
export type GithubComment = z.output<typeof comment>;
export type GithubReview = z.output<typeof review>;
export type GithubPayload = z.output<typeof payload>;

/** The events that are read. */
const RELEVANT = [
  "issues",
  "pull_request",
  "discussion",
  "issue_comment",
  "pull_request_review_comment",
  "discussion_comment",
  "commit_comment",
  "pull_request_review",
] as const;

export type GithubEventName = (typeof RELEVANT)[number];

export type ReadEvent =
  | { kind: "event"; name: GithubEventName; payload: GithubPayload }
  /** An irrelevant kind. */
  | { kind: "other"; reason: string }
  | { kind: "invalid"; problem: string };

/**
 * Parses one delivery of a webhook. Unknown fields and kinds are ignored.
 * @param name of the event, as the header has it
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
export function readEvent(name: string, body: unknown): ReadEvent {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { kind: "invalid", problem: "the body is no object" };
  }
  const relevant = RELEVANT.find((one) => one === name);
  if (relevant === undefined) return { kind: "other", reason: name === "ping" ? "a ping" : `an event ${name}` };
  const parsed = payload.safeParse(body);
  if (!parsed.success) return { kind: "invalid", problem: z.prettifyError(parsed.error) };
  return { kind: "event", name: relevant, payload: parsed.data };
}
