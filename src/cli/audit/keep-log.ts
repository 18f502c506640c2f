// The log as it is kept: checkpoints signed and handed out, the signing key rotated, and the content of old calls retired.
import { epochMs, toIso } from '../../json/clock.ts'
import { keepCheckpoint } from '../../ledger/log/kept-checkpoints.ts'
import { chainFileOf, rotateKey } from '../../ledger/log/key-file.ts'
import { type CommandIo, type CommandResult, misuse } from '../command.ts'
import { lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'
import { keyFileOf, urlOrPath, withLog } from './log.ts'

/** Puts what waits into the log, signs it, and hands the newest checkpoints out to be kept elsewhere. */
export function signCheckpoints(io: CommandIo): Promise<CommandResult> {
  return withLog(io, async (log) => {
    const signed = await log.checkpoint(io.option('tenant'))
    if (!signed.ok) return misuse(signed.reason, ['--key-file names the key; it is made where there is none.'])
    const { checkpoints } = signed
    const out = io.option('out')
    for (const { text } of out === undefined ? [] : checkpoints) {
      const keeping = await keepCheckpoint(urlOrPath(out ?? '', io), text)
      if (!keeping.ok) return misuse(keeping.reason)
    }
    return printResult(io, { checkpoints, out: out ?? null }, [
      ...checkpoints.map(({ tenant, size, text }) =>
        out === undefined ? text : `${lineText(tenant)}: ${size} leaves, kept`,
      ),
      ...(checkpoints.length === 0 ? ['The log is empty: there is nothing to sign.'] : []),
    ])
  })
}

/** A new key signs from now on; the old one signs it, so that a verifier that trusts the old one can trust it, too. */
export async function rotateLogKey(io: CommandIo): Promise<CommandResult> {
  const file = keyFileOf(io)
  if (file === undefined) return misuse('--key-file names the key to rotate.')
  const rotation = await rotateKey(file)
  if (!rotation.ok) return misuse(rotation.reason)
  const { key, chain } = rotation
  const list = chainFileOf(file)
  return printResult(io, { key_file: file, public_key: key.publicKey.text, keys: chain.length, list }, [
    `From now on checkpoints are signed with ${key.publicKey.text}`,
    `${list} lists ${chain.length} keys, each signed by the one before it: hand it to those who verify.`,
  ])
}

const dateSyntax = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Drops the content of old calls. The log keeps its leaves and says what went, when and why. */
export async function retireCalls(io: CommandIo): Promise<CommandResult> {
  const date = io.option('before') ?? ''
  const at = dateSyntax.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(at)) return misuse('--before takes a date, such as 2026-01-01.')
  const reason = io.option('why')?.trim() ?? ''
  if (reason === '' || reason.length > 1_000) return misuse('--why says the reason, in at most 1,000 characters.')
  return withLog(io, async (log) => {
    const retired = await log.retire({ before: epochMs(at), reason })
    if (!retired.ok) return misuse(retired.reason)
    const before = toIso(retired.before)
    const { tenants, kept } = retired
    return printResult(io, { before, tenants, kept }, [
      ...tenants.map(({ tenant, leaves }) => `${lineText(tenant)}: the facts of ${leaves} groups are gone`),
      ...(kept.length === 0 ? [] : [`${kept.length} calls are kept: something about them is open.`]),
      `Calls made before ${before} are retired.`,
    ])
  })
}
