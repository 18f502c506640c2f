// `proviso audit`: is the record what it was? Checks the log, proves a call to people without access, and signs what is there.
import { type CommandRow, type Given, jsonOption, misuse, type Outcome } from './command.ts'
import { ledgerOptions } from './ledger/ledger-place.ts'
import type { Terminal } from './terminal.ts'

export const audit: CommandRow = {
  name: 'audit',
  group: 'Calls:',
  summary: 'verify that no record was changed, prove a call to others, sign checkpoints to keep elsewhere',
  arguments: [
    { syntax: '<action>', about: 'verify, prove, check, checkpoint, rotate-key or retire' },
    { syntax: '[subject]', about: 'with prove: the call; with check: the file of the proof, or - for stdin' },
  ],
  options: [
    { flags: '--checkpoint <place>', about: 'with verify: file or URL with checkpoints kept elsewhere', repeats: true },
    { flags: '--key <key>', about: 'a public key to trust: its text, or a file with it', repeats: true },
    { flags: '--keys <file>', about: 'the list of public keys that the log was signed with (default: beside the key)' },
    { flags: '--key-file <file>', about: 'the private key to sign with (default: audit.key in the embedded ledger)' },
    { flags: '--tenant <name>', about: 'only the log of this tenant' },
    { flags: '--out <place>', about: 'with prove: the file to write; with checkpoint: file or URL to add to' },
    { flags: '--before <date>', about: 'with retire: drop the content of calls made in weeks that ended before' },
    { flags: '--why <text>', about: 'with retire: the reason; it goes into the log' },
    ...ledgerOptions,
    jsonOption,
  ],
  examples: [
    'proviso audit verify --checkpoint checkpoints.txt',
    'proviso audit prove 0199c2f1-7a --out proof.json',
    'proviso audit check proof.json --key proviso-6b1f…+3c9a0d12+AX…',
    'proviso audit checkpoint --out https://example.com/checkpoints',
    'proviso audit rotate-key',
    'proviso audit retire --before 2026-01-01 --why "kept for a year"',
  ],
  exits: [
    'the log holds; the proof holds; signed, rotated or retired',
    'findings, each with its place; the proof does not hold',
    'wrong usage, no key to trust, or a ledger or file that cannot be read',
  ],
  async run(given, terminal) {
    const [action, subject, ...more] = given.words
    if (more.length > 0) return misuse('One action and one subject at a time.', ['See proviso audit --help.'])
    const takesSubject = action === 'prove' || action === 'check'
    if (takesSubject && subject === undefined)
      return misuse(`proviso audit ${action} needs ${action === 'prove' ? 'a call' : 'the file of a proof'}.`)
    if (!takesSubject && subject !== undefined) return misuse(`proviso audit ${action ?? ''} takes nothing more.`)
    const stray = strayOption(given, action ?? '')
    if (stray !== undefined) return misuse(stray)
    return act(action, subject ?? '', given, terminal)
  },
}

/** Which actions an option belongs to; the others belong to all. */
const ownOptions: Readonly<Record<string, readonly string[]>> = {
  checkpoint: ['verify'],
  key: ['verify', 'check'],
  keys: ['verify', 'check'],
  keyFile: ['verify', 'prove', 'checkpoint', 'rotate-key'],
  tenant: ['verify', 'prove', 'checkpoint'],
  out: ['prove', 'checkpoint'],
  before: ['retire'],
  why: ['retire'],
}

function strayOption({ options }: Given, action: string): string | undefined {
  const stray = Object.keys(ownOptions).find(
    (name) => options[name] !== undefined && ownOptions[name]?.includes(action) !== true,
  )
  if (stray === undefined) return undefined
  const flags = stray === 'keyFile' ? 'key-file' : stray
  return `--${flags} belongs to proviso audit ${ownOptions[stray]?.join(', ')}.`
}

async function act(action: string | undefined, subject: string, given: Given, terminal: Terminal): Promise<Outcome> {
  switch (action) {
    case 'verify':
      return (await import('./audit/verify-logs.ts')).verifyLogs(given, terminal)
    case 'prove':
      return (await import('./audit/prove.ts')).prove(subject, given, terminal)
    case 'check':
      return (await import('./audit/check-proof.ts')).checkProof(subject, given, terminal)
    case 'checkpoint':
      return (await import('./audit/sign-checkpoints.ts')).signCheckpoints(given, terminal)
    case 'rotate-key':
      return (await import('./audit/rotate.ts')).rotate(given, terminal)
    case 'retire':
      return (await import('./audit/retire-calls.ts')).retireCalls(given, terminal)
    default:
      return misuse(`There is no action ${(action ?? '').slice(0, 64)}.`, [
        'Known are verify, prove, check, checkpoint, rotate-key and retire.',
      ])
  }
}
