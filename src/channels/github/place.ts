import type { Conversation } from "../channel.ts";

/** A place where comments are written. */
export type Place =
  | { kind: "issue"; repository: string; number: string; threadId?: string }
  | { kind: "commit"; repository: string; sha: string };

const ISSUE = /^([\w-]{1,100}\/(?!\.\.?#)[\w.-]{1,100})#(\d{1,12})$/;
const COMMIT = /^([\w-]{1,100}\/(?!\.\.?@)[\w.-]{1,100})@([\da-f]{40,64})$/;

/** The conversation of an issue, a pull request or a discussion; they share their numbers. */
export function issueId(repository: string, number: number): string {
  return `${repository}#${number}`;
}

export function commitId(repository: string, sha: string): string {
  return `${repository}@${sha}`;
}

/** The place of a conversation's id; undefined for any other text. */
export function readPlace(id: string, threadId?: string): Place | undefined {
  const [, repository, number] = ISSUE.exec(id) ?? [];
  if (repository !== undefined && number !== undefined) {
    return { kind: "issue", repository, number, ...(threadId !== undefined && { threadId }) };
  }
  const [, commitRepository, sha] = COMMIT.exec(id) ?? [];
  return commitRepository === undefined || sha === undefined
    ? undefined
    : { kind: "commit", repository: commitRepository, sha };
}

export function parseConversationId(id: string): Pick<Conversation, "kind" | "id"> | undefined {
  return readPlace(id) && { kind: "group", id };
}

/** How a conversation is answered, besides by its id. */
export interface Way {
  /** The installation of the app that is in the repository. */
  installation?: string;
  /** The node of a discussion, which only GraphQL writes to. */
  discussion?: string;
}

export function writeWay(way: Way): string | undefined {
  const text = new URLSearchParams({ ...way }).toString();
  return text === "" ? undefined : text;
}

export function readWay(via = ""): Way {
  const read = new URLSearchParams(via);
  const [installation, discussion] = [read.get("installation"), read.get("discussion")];
  return { ...(installation && { installation }), ...(discussion && { discussion }) };
}
