import { tail } from "../../lib/text.ts";
import type { Author, Conversation, InboundDeletion, InboundMessage } from "../channel.ts";
import type { GithubAccount } from "./account.ts";
import { readComment } from "./comment.ts";
import type {
  GithubComment,
  GithubEventName,
  GithubOpening,
  GithubPayload,
  GithubReview,
  GithubUser,
} from "./event.ts";
import { commitId, issueId, writeWay } from "./place.ts";

/** What an event brings: a message, the deletion of one, or nothing. */
export type ReadEvent = InboundMessage | InboundDeletion | { kind: "ignored"; reason: string };

/** The id of the text that an issue, a pull request or a discussion begins with. */
export const OPENING_ID = "opening";

/** What is known besides an event. */
export interface EventFacts extends Pick<GithubAccount, "alsoAddressedBy"> {
  name: GithubEventName;
  /** The agent's name. */
  username: string;
}

/** Converts an event. */
export function toInbound(payload: GithubPayload, facts: EventFacts): ReadEvent {
  const { action, issue, pull_request: pull, discussion, comment, review } = payload;
  const opening = issue ?? pull ?? discussion;
  switch (facts.name) {
    case "issues":
    case "pull_request":
    case "discussion":
      return opening === undefined ? missing(facts) : fromOpening(opening, payload, facts);
    case "pull_request_review":
      return opening === undefined || review === undefined
        ? missing(facts)
        : fromReview(review, opening, payload, facts);
    default:
      if (comment === undefined) return missing(facts);
      if (!["created", "edited", "deleted"].includes(action)) return ignored(`a comment was ${action}`);
      return fromComment(comment, opening, payload, facts);
  }
}

function ignored(reason: string): ReadEvent {
  return { kind: "ignored", reason };
}

function missing({ name }: EventFacts): ReadEvent {
  return ignored(`an event ${name} without what it is about`);
}

function fromOpening(opening: GithubOpening, payload: GithubPayload, facts: EventFacts): ReadEvent {
  const { action } = payload;
  const conversation = conversationOf(opening, payload);
  const place = { conversation, messageId: OPENING_ID };
  const id = `${facts.name}/${opening.id}`;
  if (action === "deleted") return deletion(id, place, payload);
  if (action === "opened" || action === "created" || action === "edited") {
    const written = fromText(opening, { id, place }, payload, facts);
    return written.kind === "message" ? { ...written, text: `${opening.title}\n\n${written.text}`.trim() } : written;
  }
  return fromTask(opening, { id, place }, payload, facts);
}

/** Being assigned or asked for a review: the words are the author's, whoever gives the task. */
function fromTask(
  opening: GithubOpening,
  { id, place }: Placed,
  payload: GithubPayload,
  { alsoAddressedBy, username }: EventFacts,
): ReadEvent {
  const { action, assignee, requested_reviewer: reviewer, sender } = payload;
  const [task, whom] =
    action === "assigned" ? (["assignment", assignee] as const) : (["review_request", reviewer] as const);
  const isTask = (action === "assigned" || action === "review_requested") && alsoAddressedBy.includes(task);
  if (!isTask || !whom || !isAgent(whom, username)) return ignored(`it was ${action}`);
  const text = task === "assignment" ? "[You were assigned to this.]" : "[You were asked to review this.]";
  const words = [opening.title, opening.body ?? ""].join("\n\n").trim();
  return {
    ...head(place, payload, sender),
    ...{ kind: "message", dedupeId: `${id}/${action}/${opening.updated_at ?? ""}`, text, mentioned: true },
    quoted: { text: words, ...(opening.user && { senderName: opening.user.login }) },
  };
}

function fromReview(review: GithubReview, pull: GithubOpening, payload: GithubPayload, facts: EventFacts): ReadEvent {
  const { action } = payload;
  if (action !== "submitted" && action !== "edited") return ignored(`a review was ${action}`);
  const id = `review/${review.id}`;
  const place = { conversation: conversationOf(pull, payload), messageId: `review-${review.id}` };
  const written = fromText(review, { id, place }, payload, facts);
  if (written.kind !== "message" || review.state === "commented") return written;
  return { ...written, text: `[Review: ${review.state.replaceAll("_", " ")}]\n\n${written.text}` };
}

function fromComment(
  comment: GithubComment,
  opening: GithubOpening | undefined,
  payload: GithubPayload,
  facts: EventFacts,
): ReadEvent {
  const { repository } = payload;
  const sha = comment.commit_id;
  const isOfCommit = facts.name === "commit_comment";
  if (opening === undefined && !(isOfCommit && sha)) return missing(facts);
  const isInReview = facts.name === "pull_request_review_comment";
  const conversation: Conversation =
    opening === undefined
      ? { kind: "group", id: commitId(repository.full_name, sha ?? ""), spaceId: repository.full_name }
      : conversationOf(opening, payload, isInReview ? (comment.in_reply_to_id ?? comment.id) : undefined);
  const id = `${facts.name}/${comment.id}`;
  const place = { conversation, messageId: String(comment.id) };
  if (payload.action === "deleted") return deletion(id, place, payload);
  const written = fromText(comment, { id, place }, payload, facts);
  if (written.kind !== "message") return written;
  const { in_reply_to_id: replyTo } = comment;
  return { ...written, ...(replyTo && { replyToId: String(replyTo) }), ...withCode(comment, written) };
}

/** The code that a comment is about, as what it quotes. */
function withCode({ diff_hunk: hunk, path, line, original_line }: GithubComment, { quoted }: InboundMessage) {
  if (!hunk) return {};
  const at = line ?? original_line;
  const senderName = `${path ?? "a file"}${at ? `:${at}` : ""}`;
  return { quoted: { text: [tail(hunk, MAX_HUNK_UNITS), quoted?.text ?? ""].join("\n\n").trim(), senderName } };
}

/** The end of a piece of code is the line that a comment is about. */
const MAX_HUNK_UNITS = 3_000;

interface Placed {
  /** Of the object that the event is about, the same in every webhook. */
  id: string;
  place: Pick<InboundMessage, "conversation" | "messageId">;
}

/**
 * A text that its author has written or edited. Others who may edit it (maintainers) would put words into the author's
 * mouth, or take the author's for their own: their edits are left out.
 */
function fromText(
  { body, user, updated_at: updatedAt }: Pick<GithubComment, "body" | "user" | "updated_at">,
  { id, place }: Placed,
  payload: GithubPayload,
  { username }: EventFacts,
): ReadEvent {
  const { sender, action } = payload;
  if (user?.id !== sender.id) return ignored("somebody else than its author wrote it");
  const { text, quoted, mentioned } = readComment(body ?? "", username);
  const isOpening = place.messageId === OPENING_ID;
  if (text === "" && quoted === "" && !isOpening) return ignored("it has no text");
  const isEdit = action === "edited";
  return {
    ...head(place, payload, sender),
    ...{ kind: "message", dedupeId: isEdit ? `${id}/${updatedAt ?? ""}` : id, text, mentioned },
    ...(quoted !== "" && { quoted: { text: quoted } }),
    ...(isEdit && { edited: true }),
  };
}

function deletion(id: string, place: Placed["place"], { sender }: GithubPayload): InboundDeletion {
  return { kind: "deletion", dedupeId: `${id}/deleted`, ...place, sender: authorOf(sender) };
}

type Head = Pick<InboundMessage, "conversation" | "messageId" | "sender" | "attachments" | "via">;

function head(place: Placed["place"], payload: GithubPayload, author: GithubUser): Head {
  const via = writeWay({
    ...(payload.installation && { installation: String(payload.installation.id) }),
    ...(payload.discussion?.node_id && { discussion: payload.discussion.node_id }),
  });
  return { ...place, sender: authorOf(author), attachments: [], ...(via !== undefined && { via }) };
}

/** Names of accounts may change and be given to others, ids may not. */
function authorOf({ id, login, type }: GithubUser): Author {
  return { id: String(id), name: login, username: login, ...(type === "Bot" && { isBot: true }) };
}

function conversationOf(
  { number, title }: GithubOpening,
  { repository: { full_name: spaceId } }: GithubPayload,
  thread?: number,
): Conversation {
  const threadId = thread === undefined ? {} : { threadId: String(thread) };
  return { kind: "group", id: issueId(spaceId, number), title, spaceId, ...threadId };
}

/** Whether an account is the agent's: an app's has `[bot]` behind its name. */
export function isAgent({ login }: Pick<GithubUser, "login">, username: string): boolean {
  return login.toLowerCase().replace(/\[bot\]$/, "") === username.toLowerCase();
}
