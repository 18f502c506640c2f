// `proviso audit checkpoint`: puts what waits into the log, signs it, and hands the newest checkpoints out to be kept elsewhere.
import { resolve } from 'node:path'
import { keepCheckpoint } from '../../ledger/log/kept-checkpoints.ts'
import { done, type Given, misuse, type Outcome, text } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { printAnswer, tenantOf } from './print-answer.ts'
import { withLog } from './with-log.ts'

export function signCheckpoints(given: Given, terminal: Terminal): Promise<Outcome> {
  return withLog(given, terminal, async (log) => {
    const signed = await log.checkpoint(tenantOf(given).tenant)
    if (!signed.ok) return misuse(signed.reason, ['--key-file names the key; it is made where there is none.'])
    const { checkpoints } = signed
    const out = text(given, 'out')
    if (out !== undefined) {
      const place = /^https?:/i.test(out) ? out : resolve(terminal.folder, out)
      for (const { text: checkpoint } of checkpoints) {
        const keeping = await keepCheckpoint(place, checkpoint)
        if (!keeping.ok) return misuse(keeping.reason)
      }
    }
    const shown = checkpoints.map(({ tenant, size, text: checkpoint }) =>
      out === undefined ? checkpoint : `${lineText(tenant)}: ${size} leaves, kept`,
    )
    const nothing = checkpoints.length === 0 ? ['The log is empty: there is nothing to sign.'] : []
    printAnswer(given, terminal, { checkpoints, out: out ?? null }, [...shown, ...nothing])
    return done(true)
  })
}
