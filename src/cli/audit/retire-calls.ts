// `proviso audit retire`: drops the content of old calls by hand. The log keeps its leaves and says what went, when and why.
import { epochMs, toIso } from '../../json/clock.ts'
import { done, type Given, misuse, type Outcome, text } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { printAnswer } from './print-answer.ts'
import { withLog } from './with-log.ts'

const dateSyntax = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/

export async function retireCalls(given: Given, terminal: Terminal): Promise<Outcome> {
  const date = text(given, 'before') ?? ''
  const at = dateSyntax.test(date) ? Date.parse(date) : Number.NaN
  if (Number.isNaN(at)) return misuse('--before takes a date, such as 2026-01-01.')
  const reason = text(given, 'why')?.trim() ?? ''
  if (reason === '' || reason.length > 1_000) return misuse('--why says the reason, in at most 1,000 characters.')
  return withLog(given, terminal, async (log) => {
    const retired = await log.retire({ before: epochMs(at), reason })
    if (!retired.ok) return misuse(retired.reason)
    const before = toIso(retired.before)
    const lines = retired.tenants.map(
      ({ tenant, leaves }) => `${lineText(tenant)}: the facts of ${leaves} groups are gone`,
    )
    const kept =
      retired.kept.length === 0 ? [] : [`${retired.kept.length} calls are kept: something about them is open.`]
    const wire = { before, tenants: retired.tenants, kept: retired.kept }
    printAnswer(given, terminal, wire, [...lines, ...kept, `Calls made before ${before} are retired.`])
    return done(true)
  })
}
