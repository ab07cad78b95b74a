/**
 * Special-purpose IPv4 ranges of IANA's registries (RFC 6890 and updates), and the public-looking metadata address of
 * Azure.
 */
const IPV4: readonly [network: string, bits: number, kind: string][] = [
  ["0.0.0.0", 8, "this machine"],
  ["10.0.0.0", 8, "a private network"],
  ["100.64.0.0", 10, "a carrier's inner network"],
  ["127.0.0.0", 8, "this machine"],
  ["168.63.129.16", 32, "a cloud's metadata"],
  ["169.254.0.0", 16, "a link-local network, where clouds keep their metadata"],
  ["172.16.0.0", 12, "a private network"],
  ["192.0.0.0", 24, "reserved for protocols"],
  ["192.0.2.0", 24, "reserved for documentation"],
  ["192.88.99.0", 24, "a relay into IPv6"],
  ["192.168.0.0", 16, "a private network"],
  ["198.18.0.0", 15, "reserved for benchmarks"],
  ["198.51.100.0", 24, "reserved for documentation"],
  ["203.0.113.0", 24, "reserved for documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];

/**
 * Special-purpose IPv6 ranges, which give a refused address its name. Everything outside `2000::/3` is refused as well.
 */
const IPV6: readonly [network: string, bits: number, kind: string][] = [
  ["::", 128, "this machine"],
  ["::1", 128, "this machine"],
  ["::", 96, "an IPv4 address in IPv6"],
  ["::ffff:0:0", 96, "an IPv4 address in IPv6"],
  ["64:ff9b::", 96, "an IPv4 address in IPv6"],
  ["64:ff9b:1::", 48, "an IPv4 address in IPv6"],
  ["2001::", 32, "a tunnel to IPv4"],
  ["2001::", 23, "reserved for protocols"],
  ["2001:db8::", 32, "reserved for documentation"],
  ["2002::", 16, "a tunnel to IPv4"],
  ["3fff::", 20, "reserved for documentation"],
  ["fc00::", 7, "a private network"],
  ["fe80::", 10, "a link-local network"],
  ["fec0::", 10, "a private network"],
  ["ff00::", 8, "multicast"],
];

const PUBLIC_IPV6 = block("2000::", 3);
const BLOCKS = [...IPV4, ...IPV6].map(([network, bits, kind]) => ({ ...block(network, bits), kind }));

/**
 * The kind of a non-public address; undefined for a public one. Parsed by the platform's own URL parser, so that every
 * spelling means the address that `fetch` would use.
 * @param address IPv4, or IPv6 without brackets; anything else is "no address"
 */
export function privateAddressKind(address: string): string | undefined {
  const parsed = parseAddress(address);
  if (parsed === undefined) return "no address";
  const found = BLOCKS.find((candidate) => lies(parsed, candidate));
  if (found !== undefined) return found.kind;
  return parsed.size === 128 && !lies(parsed, PUBLIC_IPV6) ? "reserved" : undefined;
}

/** Whether a URL's hostname is an address: the parser writes IPv4 as four numbers, and IPv6 in brackets. */
export function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

interface IpAddress {
  value: bigint;
  /** 32 or 128 bits. */
  size: number;
}

function lies({ value, size }: IpAddress, range: IpAddress & { bits: number }): boolean {
  const rest = BigInt(size - range.bits);
  return size === range.size && value >> rest === range.value >> rest;
}

function block(network: string, bits: number): IpAddress & { bits: number } {
  const address = parseAddress(network);
  if (address === undefined) throw new Error(`'${network}' is no address.`);
  return { ...address, bits };
}

function parseAddress(address: string): IpAddress | undefined {
  const url = `http://${address.includes(":") ? `[${address}]` : address}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  if (!isAddress(hostname)) return undefined;
  if (!hostname.startsWith("[")) return { value: joined(hostname.split("."), 10, 8n), size: 32 };
  const [before = "", after] = hostname.slice(1, -1).split("::");
  const [left, right] = [before, after ?? ""].map((part) => part.split(":").filter((group) => group !== ""));
  const groups = [...(left ?? []), ...Array(8).fill("0"), ...(right ?? [])];
  groups.splice(left?.length ?? 0, groups.length - 8);
  return { value: joined(groups, 16, 16n), size: 128 };
}

function joined(parts: readonly string[], base: number, bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(Number.parseInt(part, base)), 0n);
}
