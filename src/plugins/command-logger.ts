import { definePlugin } from "./plugin.ts";

/**
 * Puts every command on the audit trail: its name, who gave it and where, and how long what followed the name was. Not
 * what it was: that may be a message, a secret, or the name of one.
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
