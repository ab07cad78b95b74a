import { definePlugin } from "./plugin.ts";

/**
 * Writes every command to the audit trail: its name, sender, origin, and the length of its arguments. Not the
 * arguments: they may be a message, a secret, or the name of one.
 */
export const commandLogger = definePlugin({
  name: "command-logger",
  summary: "Puts every command on the audit trail: who gave it, and where",
  hooks: {
    command: {
      run({ name, args, by, source }, context) {
        const after = args === "" ? "" : `, ${args.length} characters after it`;
        context.audit({ kind: "command", by, subject: `/${name}`, detail: `in ${source}${after}` });
      },
    },
  },
});
