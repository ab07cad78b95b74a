import { Bash } from "just-bash/browser";

type Plugin = Parameters<Bash["registerTransformPlugin"]>[0];
type Script = Parameters<Plugin["transform"]>[0]["ast"];
type Statement = Script["statements"][number];

/** What a loop does at the beginning of each round: it opens a file, and there the run takes turns with others. */
const TURN = ": </dev/null";

const LOOPS: ReadonlySet<unknown> = new Set(["For", "CStyleFor", "While", "Until"]);

let turn: Statement | undefined;

/**
 * Has every loop of a script take turns. A loop of builtins waits for nothing else, so that neither its time would be over nor
 * anybody else be heard. Where it changes a script, it is `$?` at the beginning of a round of `for` and `until`.
 */
export const takesTurns: Plugin = {
  name: "takes-turns",
  transform({ ast }) {
    turn ??= new Bash({ commands: [], defenseInDepth: false }).transform(TURN).ast.statements[0];
    if (turn !== undefined) visit(ast, turn);
    return { ast };
  },
};

function visit(node: unknown, first: Statement): void {
  if (typeof node !== "object" || node === null || node === first) return;
  for (const inner of Object.values(node)) visit(inner, first);
  if (isLoop(node)) node.body.unshift(first);
}

function isLoop(node: object): node is { body: Statement[] } {
  return "type" in node && LOOPS.has(node.type) && "body" in node && Array.isArray(node.body);
}
