import type { Line } from "./lines.ts";
import { SNIPPET_SIZE } from "./snippet-size.ts";

/** Lines of one file in a row, or parts of one line. */
export interface Passage {
  /** The line that it was made around. */
  core: Line;
  startLine: number;
  endLine: number;
  text: string;
}

/**
 * The passage around a line: it grows by the neighbour that scores more, as long as a snippet has room, and never over
 * what is taken. All its lines are taken then.
 */
export function passageAround(core: Line, scores: ReadonlyMap<Line, number>, taken: Set<Line>): Passage {
  const lines = [core];
  let room = SNIPPET_SIZE - core.size;
  function fits(line: Line | undefined): line is Line {
    return line !== undefined && !taken.has(line) && line.size + 1 <= room && isJoined(line, core);
  }
  for (;;) {
    const [before, after] = [lines[0]?.before, lines.at(-1)?.after];
    const isAfter = fits(after) && !(fits(before) && (scores.get(before) ?? 0) > (scores.get(after) ?? 0));
    if (isAfter) lines.push(after);
    else if (fits(before)) lines.unshift(before);
    else break;
    room -= 1 + ((isAfter ? after : before)?.size ?? 0);
  }
  for (const line of lines) taken.add(line);
  return passageOf(core, withoutBlankEnds(lines));
}

/** Whole lines stand with whole ones, and parts with those of their own line. */
function isJoined(line: Line, core: Line): boolean {
  return core.isPart ? line.isPart && line.number === core.number : !line.isPart;
}

function withoutBlankEnds(lines: readonly Line[]): readonly Line[] {
  const first = lines.findIndex(({ text }) => text.trim() !== "");
  const last = lines.findLastIndex(({ text }) => text.trim() !== "");
  return lines.slice(first, last + 1);
}

function passageOf(core: Line, lines: readonly Line[]): Passage {
  const text = lines.map((line) => line.text).join(core.isPart ? "" : "\n");
  return {
    core,
    startLine: lines[0]?.number ?? core.number,
    endLine: lines.at(-1)?.number ?? core.number,
    text: core.isPart ? text.trim() : text,
  };
}
