/** An id of a channel, and the account that it belongs to. */
export interface AccountId {
  accountId: string;
  id: string;
}

const DEFAULT = "default";

/**
 * The id of a person or a place where the accounts of a channel may have the same id for others: `account/id`. Ids of
 * the account `default` stand alone, unless they look like those of another one.
 */
export function ownId({ accountId, id }: AccountId): string {
  return accountId === DEFAULT && !id.includes("/") ? id : `${accountId}/${id}`;
}

/** The account and the id of what `ownId` gives. */
export function readOwnId(text: string): AccountId {
  const at = text.indexOf("/");
  return at === -1 ? { accountId: DEFAULT, id: text } : { accountId: text.slice(0, at), id: text.slice(at + 1) };
}
