// `proviso audit`: is the record what it was? Checks the log, proves a call to people without access, and signs what is there.
import {
  type ActionRow,
  type CommandBody,
  type CommandIo,
  type CommandResult,
  jsonOption,
  misuse,
  runActions,
} from '../command.ts'
import { ledgerOptions } from '../ledger/ledger-place.ts'
import { acknowledgeMissing } from './acknowledge.ts'
import { retireCalls, rotateLogKey, signCheckpoints } from './log.ts'
import { checkProof, writeProof } from './proof.ts'
import { verifyLogs } from './verify.ts'

/** Which actions an option belongs to; the others belong to all. */
const ownOptions: Readonly<Record<string, readonly string[]>> = {
  checkpoint: ['verify', 'acknowledge'],
  key: ['verify', 'check'],
  keys: ['verify', 'check'],
  keyFile: ['verify', 'prove', 'checkpoint', 'rotate-key'],
  tenant: ['verify', 'prove', 'checkpoint'],
  out: ['prove', 'checkpoint'],
  before: ['retire'],
  why: ['retire', 'acknowledge'],
  by: ['acknowledge'],
}

/** Refuses options that belong to other actions. */
const withOwnOptions =
  (action: string, run: (io: CommandIo) => Promise<CommandResult>): ActionRow['run'] =>
  async (io) => {
    const stray = Object.keys(ownOptions).find(
      (name) => io.options[name] !== undefined && ownOptions[name]?.includes(action) !== true,
    )
    if (stray === undefined) return run(io)
    const flags = stray === 'keyFile' ? 'key-file' : stray
    return misuse(`--${flags} belongs to proviso audit ${ownOptions[stray]?.join(', ')}.`)
  }

export const auditCommand: CommandBody = {
  arguments: [
    { syntax: '<action>', about: 'verify, prove, check, checkpoint, rotate-key, retire or acknowledge' },
    { syntax: '[subject]', about: 'with prove: the call; with check: the file of the proof, or - for stdin' },
  ],
  options: [
    {
      flags: '--checkpoint <place>',
      about:
        'with verify: file or URL with checkpoints kept elsewhere; with acknowledge: the file that is kept outside',
      repeats: true,
    },
    { flags: '--key <key>', about: 'a public key to trust: its text, or a file with it', repeats: true },
    { flags: '--keys <file>', about: 'the list of public keys that the log was signed with (default: beside the key)' },
    { flags: '--key-file <file>', about: 'the private key to sign with (default: audit.key in the embedded ledger)' },
    { flags: '--tenant <name>', about: 'only the log of this tenant' },
    { flags: '--out <place>', about: 'with prove: the file to write; with checkpoint: file or URL to add to' },
    { flags: '--before <date>', about: 'with retire: drop the content of calls made in weeks that ended before' },
    { flags: '--why <text>', about: 'with retire or acknowledge: the reason; it goes into the log' },
    { flags: '--by <name>', about: 'with acknowledge: who has seen what is missing' },
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
    'proviso audit acknowledge --checkpoint /mnt/elsewhere/ledger.json --by ann --why "restored after the fire"',
  ],
  exits: [
    'the log holds; the proof holds; signed, rotated, retired or acknowledged; nothing is missing',
    'findings, each with its place; the proof does not hold; something is missing that no person has acknowledged',
    'wrong usage, no key to trust, or a ledger or file that cannot be read',
  ],
  run: runActions('audit', {
    verify: { run: withOwnOptions('verify', verifyLogs) },
    prove: { takes: 'CALL', asks: 'which call', run: withOwnOptions('prove', writeProof) },
    check: { takes: 'PROOF', asks: 'which file', run: withOwnOptions('check', checkProof) },
    checkpoint: { run: withOwnOptions('checkpoint', signCheckpoints) },
    'rotate-key': { run: withOwnOptions('rotate-key', rotateLogKey) },
    retire: { run: withOwnOptions('retire', retireCalls) },
    acknowledge: { run: withOwnOptions('acknowledge', acknowledgeMissing) },
  }),
}
