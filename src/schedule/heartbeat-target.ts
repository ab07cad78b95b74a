import { readOwnId } from "../config/own-ids.ts";

/** Where a heartbeat's alerts go by its configuration. */
export interface TargetChoice {
  /** `owner`, `last`, `none`, or a channel's id. */
  target?: string | undefined;
  to?: string | undefined;
  accountId?: string | undefined;
  /** Who is written to at `to`, if that is a direct conversation whose id is not theirs. */
  peerId?: string | undefined;
}

/** A conversation of a channel. */
export interface Route {
  channel: string;
  to: string;
  accountId?: string | undefined;
  threadId?: string | undefined;
  kind?: "direct" | "group" | "channel" | undefined;
  /** As in a target. */
  peerId?: string | undefined;
  /** As in a target. */
  parentId?: string | undefined;
  /** As in a target. */
  spaceId?: string | undefined;
}

/** What is known of the channels. */
export interface KnownRoutes {
  /** Where a person wrote to the agent last. */
  last: Route | undefined;
  /** `commands.ownerAllowFrom`: `channel:id`, or an id on any channel. */
  owners: readonly string[];
  /** The channels that are configured. */
  channels: readonly string[];
  /** The kind of conversation that an id of a channel stands for; undefined if it cannot be told. */
  kindOf(channel: string, id: string): Route["kind"];
  /** Whether accounts of a channel may have the same id for others, so that owners are named with the account. */
  hasOwnIds?(channel: string): boolean;
  /** Whether a channel can write to a person whose id looks like that of a conversation. */
  isPerson?(channel: string, id: string): boolean;
}

/** Where to, or why nowhere. */
export type ChosenRoute = Route | { channel: "none"; reason: "target-none" | "no-route" | "no-target" };

/**
 * The conversation that a heartbeat's alerts go to. `owner` is the first owner in a direct conversation; `last` is where
 * a person wrote last; a channel's id needs `to`, unless a person wrote there last.
 */
export function chooseRoute(
  { target = "owner", to, accountId, peerId }: TargetChoice,
  known: KnownRoutes,
): ChosenRoute {
  const recipient = to?.trim() || undefined;
  const account = accountId === undefined ? {} : { accountId };
  const peer = peerId === undefined ? {} : { kind: "direct" as const, peerId };
  const { last, channels } = known;
  if (target === "none") return { channel: "none", reason: "target-none" };
  if (target === "owner") return ownerRoute(known, account) ?? { channel: "none", reason: "no-route" };
  if (target === "last") {
    if (last === undefined || isOtherAccount(last, accountId, known)) return { channel: "none", reason: "no-route" };
    return recipient === undefined || recipient === last.to
      ? { ...last, ...account }
      : elsewhere({ channel: last.channel, to: recipient, ...accountOf(last), ...account, ...peer }, known);
  }
  if (!channels.includes(target)) return { channel: "none", reason: "target-none" };
  if (recipient !== undefined) return elsewhere({ channel: target, to: recipient, ...account, ...peer }, known);
  if (last?.channel !== target || isOtherAccount(last, accountId, known))
    return { channel: "none", reason: "no-target" };
  return { ...last, ...account };
}

/** Whether a conversation is of another account than the wanted one, where an id means somebody else there. */
function isOtherAccount({ channel, accountId = "default" }: Route, wanted: string | undefined, known: KnownRoutes) {
  return wanted !== undefined && wanted !== accountId && known.hasOwnIds?.(channel) === true;
}

/** The first owner whom a configured channel can write to alone. */
function ownerRoute(known: KnownRoutes, account: Pick<Route, "accountId">): Route | undefined {
  const { owners, channels, last } = known;
  for (const owner of owners) {
    const [channel, person] = splitOwner(owner, channels, last);
    if (channel === undefined || !channels.includes(channel)) continue;
    const { accountId, id } = known.hasOwnIds?.(channel) ? readOwnId(person) : { accountId: undefined, id: person };
    if (id === "" || id === "*") continue;
    if (accountId !== undefined && account.accountId !== undefined && accountId !== account.accountId) continue;
    if (known.kindOf(channel, id) !== "direct" && known.isPerson?.(channel, id) !== true) continue;
    const isThere = accountId === undefined || accountId === last?.accountId;
    const isLast = last?.channel === channel && (last.peerId ?? last.to) === id && isThere;
    const route = { channel, to: id, kind: "direct" as const, ...(accountId !== undefined && { accountId }) };
    return { ...(isLast ? last : route), ...account };
  }
  return undefined;
}

/** An owner without a channel is one on the channel used last, else on the first. */
function splitOwner(owner: string, channels: readonly string[], last: Route | undefined): [string | undefined, string] {
  const at = owner.indexOf(":");
  if (at > 0) return [owner.slice(0, at), owner.slice(at + 1)];
  return [last !== undefined && (last.peerId ?? last.to) === owner ? last.channel : channels[0], owner];
}

function elsewhere(route: Route, known: KnownRoutes): Route {
  if (route.kind !== undefined) return route;
  const kind = known.kindOf(route.channel, route.to);
  return kind === undefined ? route : { ...route, kind };
}

function accountOf({ accountId }: Route): Pick<Route, "accountId"> {
  return accountId === undefined ? {} : { accountId };
}

/** What of heartbeats a conversation is shown. */
export interface Visibility {
  /** Whether HEARTBEAT_OK is delivered. */
  showOk: boolean;
  /** Whether alerts are delivered. */
  showAlerts: boolean;
  /** Whether the page shows that a heartbeat ran. */
  useIndicator: boolean;
}

type VisibilityBlock = {
  heartbeatVisibility?: Partial<{ [Key in keyof Visibility]: boolean | undefined }> | undefined;
};

/** `channels`, as far as the visibility of heartbeats goes. */
export type VisibilityConfig = Readonly<
  Record<string, (VisibilityBlock & { accounts?: Record<string, VisibilityBlock | undefined> }) | undefined>
>;

/**
 * The visibility of heartbeats on an account: its own over the channel's over `channels.defaults`, key by key. The page,
 * `webchat`, has the defaults alone.
 */
export function heartbeatVisibility(channels: VisibilityConfig, channel: string, accountId?: string): Visibility {
  const own = channel === "webchat" ? undefined : channels[channel];
  const account = accountId === undefined ? undefined : own?.accounts?.[accountId];
  const blocks = [account, own, channels.defaults].map((block) => block?.heartbeatVisibility ?? {});
  const at = (key: keyof Visibility, standard: boolean) =>
    blocks.find((block) => block[key] !== undefined)?.[key] ?? standard;
  return { showOk: at("showOk", false), showAlerts: at("showAlerts", true), useIndicator: at("useIndicator", true) };
}
