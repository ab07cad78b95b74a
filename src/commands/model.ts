import type { CommandPort, ImmediateCommand } from "./command.ts";

/** Most models in the list. */
const MAX_LISTED = 50;

/** `/model [provider/model | alias | default]`: the model of this session. */
export const model: ImmediateCommand = {
  kind: "immediate",
  name: "model",
  summary: "Show or set the model of this session",
  usage: "/model [provider/model | alias | default]",
  run(args, session) {
    if (args === "" || args.toLowerCase() === "list") return [current(session), "", ...listed(session)].join("\n");
    if (args.toLowerCase() === "default") {
      session.set("model", undefined);
      return current(session);
    }
    const found = session.lookUpModel(args);
    if (found.kind === "none") return `This model cannot be used: ${found.problem}`;
    session.set("model", found.ref);
    return current(session);
  },
};

function current(session: CommandPort): string {
  const { model, ownModel } = session.status();
  return model === ownModel
    ? `Model: \`${model}\`.`
    : `Model: \`${model}\` for this session (agent default: \`${ownModel}\`).`;
}

function listed(session: CommandPort): string[] {
  const models = session.namedModels();
  const lines = models
    .slice(0, MAX_LISTED)
    .map(({ ref, alias }) => (alias === undefined ? `- \`${ref}\`` : `- \`${ref}\` as \`${alias}\``));
  const more = models.length > MAX_LISTED ? [`- and ${models.length - MAX_LISTED} more`] : [];
  return [...lines, ...more, "", "Any `provider/model` of a configured provider can be used."];
}
