// `proviso drift`: what others publish, against what a person approved of it.
import { type CommandRow, jsonOption, misuse } from './command.ts'
import { ownKeyOption } from './keys/own-key.ts'

export const drift: CommandRow = {
  name: 'drift',
  group: 'Tools:',
  summary: 'pin what MCP servers and HTTP interfaces publish, and see what has changed since a person approved it',
  arguments: [
    { syntax: '<action>', about: 'pin, check, approve, list or show' },
    { syntax: '[source]', about: 'a name for it; with pin also its URL or file, where nothing else says where it is' },
    { syntax: '[program...]', about: 'with pin, after --: the program of an MCP server on standard input and output' },
  ],
  options: [
    {
      flags: '--at <place>',
      about: 'with pin: URL of an MCP server, or URL or file of an OpenAPI document or tool list',
    },
    { flags: '--document', about: 'with pin: the URL is that of a document, whatever it ends in' },
    {
      flags: '--header <name=variable>',
      about: 'with pin: a header line, from an environment variable',
      repeats: true,
    },
    { flags: '--env <variable>', about: 'with pin: an environment variable that the program gets', repeats: true },
    {
      flags: '--capability <name>',
      about: 'a capability that the client declares, such as elicitation',
      repeats: true,
    },
    { flags: '--tool <name>', about: 'with approve and show: only these tools', repeats: true },
    { flags: '--approve', about: 'with pin: approve what is served now, unseen; for scripts' },
    { flags: '--served <hash>', about: 'with pin and approve: what you have looked at, as check prints it' },
    { flags: '--by <name>', about: 'with pin and approve: who approves; in a ledger your key says so' },
    { flags: '--why <text>', about: 'with pin and approve: kept with the approval' },
    {
      flags: '--fail-on <level>',
      about: 'with check: the least change that fails: breaking, dangerous or any (default: any)',
    },
    { flags: '--pins <file>', about: 'where pins are kept (default: proviso.pins.json)' },
    {
      flags: '--ledger <place>',
      about: 'keep pins in this ledger instead: a postgres:// URL, or the folder of an embedded Postgres',
    },
    ownKeyOption,
    jsonOption,
  ],
  examples: [
    'proviso drift pin shop -- npx -y some-mcp-server',
    'proviso drift pin billing --at https://billing.example.com/openapi.json --approve --by ann',
    'proviso drift check',
    'proviso drift approve shop --tool search --served 4f1c… --by ann',
    'proviso drift show shop --tool search --json',
  ],
  exits: [
    'nothing has changed, or it is approved now',
    'something has changed, or nothing was approved',
    'wrong usage, no such source, or one that cannot be reached or read',
  ],
  async run(given, terminal) {
    const [action] = given.words
    switch (action) {
      case 'pin':
      case 'approve':
        return (await import('./drift/approve-drift.ts')).approveDrift(action, given, terminal)
      case 'check':
        return (await import('./drift/check-drift.ts')).checkDrift(given, terminal)
      case 'list':
        return (await import('./drift/show-pins.ts')).listPins(given, terminal)
      case 'show':
        return (await import('./drift/show-pins.ts')).showPin(given, terminal)
      default:
        return misuse(`There is no action ${String(action).slice(0, 64)}.`, [
          'Known are pin, check, approve, list and show.',
        ])
    }
  },
}
