/** What `--help` says. */
export const help = `Usage: node examples/server/dist/main.js [command]

Without a command the server starts; with --demo its demo gateway as well.

Commands:
  back-up <new folder>
      copies databases, images and public keys, beside a running server
  find-account <e-mail address>
      prints an account's id, by which the audit trail names it
  rebuild-roll-ups [--device <id>] [--from <time>] [--to <time>]
      builds what long charts are drawn from anew
  sign-everybody-out
      ends all sessions of accounts, beside running servers

Settings are environment variables, such as PORT=8080 DATA_DIR=/var/lib/device-gateway.
All settings are listed in examples/server/README.md. How to operate the server: docs/runbook.md.`;
