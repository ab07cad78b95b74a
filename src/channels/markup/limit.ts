import { byteLength } from "../../lib/text.ts";

/** How long a message may be, in the unit in which its platform counts. */
export interface MessageLimit {
  most: number;
  size(text: string): number;
  /** More UTF-16 units than this cannot be within the limit. */
  units: number;
}

export const UNLIMITED: MessageLimit = {
  most: Number.POSITIVE_INFINITY,
  size: () => 0,
  units: Number.POSITIVE_INFINITY,
};

export function utf16Units(most: number): MessageLimit {
  return { most, size: (text) => text.length, units: most };
}

/** Most Unicode code points; a pair of surrogates is one. */
export function codePoints(most: number): MessageLimit {
  const size = (text: string) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
  return { most, size, units: 2 * most };
}

export function utf8Bytes(most: number): MessageLimit {
  return { most, size: byteLength, units: most };
}

/** Most UTF-8 bytes as a string in a JSON document that is itself a string of the request's JSON. */
export function nestedJsonBytes(most: number): MessageLimit {
  return { most, size: (text) => byteLength(JSON.stringify(JSON.stringify(text))), units: most };
}
