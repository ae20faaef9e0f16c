/** The text of `--help`. */
export const help = `Usage: node examples/server/dist/main.js [command]

Without a command, the server starts. With --demo, its demo gateway starts too.

Commands:
  back-up <new folder>
      copies databases, images and public keys; the server may be running
  cells <action>
      moves a cell to another database, or splits a database into cells; without an action, it lists all actions
  find-account <e-mail address>
      prints an account's id, which the audit trail uses
  rebuild-roll-ups [--device <id>] [--from <time>] [--to <time>]
      rebuilds the hourly summaries that long charts use
  reset-factor <e-mail address>
      removes an account's second factor that its owner has lost; servers may be running
  sign-everybody-out
      ends all sessions of accounts; servers may be running
  webhooks <action>
      creates, changes and tests webhooks; without an action, it lists all actions

Settings are environment variables, such as PORT=8080 DATA_DIR=/var/lib/device-gateway.
examples/server/README.md lists all settings. docs/runbook.md explains how to operate the server.`;
