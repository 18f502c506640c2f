// `proviso audit verify`: holds the stored logs against signed checkpoints and names whatever does not fit.
import { resolve } from 'node:path'
import { findingKinds } from '../../ledger/log/audit-finding.ts'
import { readKept } from '../../ledger/log/kept-checkpoints.ts'
import { chainFileOf } from '../../ledger/log/key-file.ts'
import type { LogVerification } from '../../ledger/ports/transparency-log.ts'
import { done, type Given, misuse, type Outcome, texts } from '../command.ts'
import { lineText } from '../plain-text.ts'
import { barText } from '../subschema/progress-bar.ts'
import type { Colours, Terminal } from '../terminal.ts'
import { printAnswer, tenantOf } from './print-answer.ts'
import { trustedKeys } from './trusted-keys.ts'
import { keyFileOf, withLog } from './with-log.ts'

const shownFindings = 100

export async function verifyLogs(given: Given, terminal: Terminal): Promise<Outcome> {
  const kept: string[] = []
  for (const place of texts(given, 'checkpoint')) {
    const reading = await readKept(/^https?:/i.test(place) ? place : resolve(terminal.folder, place))
    if (!reading.ok) return misuse(reading.reason)
    if (reading.checkpoints.length === 0) return misuse(`${place} holds no checkpoint.`)
    kept.push(...reading.checkpoints)
  }
  const keyFile = keyFileOf(given, terminal)
  const trusted = await trustedKeys(given, terminal, keyFile === undefined ? undefined : chainFileOf(keyFile))
  if (!trusted.ok) return misuse(trusted.message, trusted.details)
  return withLog(given, terminal, async (log) => {
    const startedAt = performance.now()
    const report = await log.verify({
      ...tenantOf(given),
      kept,
      keys: trusted.keys,
      onProgress: ({ leaves, of, tenant }) => terminal.progress?.(barText(Math.min(leaves, of), of, lineText(tenant))),
    })
    terminal.progress?.('')
    const seconds = Math.round(performance.now() - startedAt) / 1_000
    if (report.notSequenced !== undefined)
      terminal.note(`What waits for the log could not be put there: ${lineText(report.notSequenced)}`)
    printAnswer(
      given,
      terminal,
      wireReport(report, kept.length, seconds),
      showReport(report, kept.length, terminal.colours),
    )
    return done(report.ok)
  })
}

function wireReport(report: LogVerification, kept: number, seconds: number) {
  return {
    ok: report.ok,
    leaves: report.leaves,
    contents: report.contents,
    retired: report.retired,
    seconds,
    checkpoints_kept_elsewhere: kept,
    tenants: report.tenants.map(({ tenant, size, root, agreesWithOwn, agreesWithKept }) => ({
      tenant,
      size,
      root: root === undefined ? null : Buffer.from(root).toString('hex'),
      agrees_with_own: agreesWithOwn,
      agrees_with_kept: agreesWithKept,
    })),
    retirements: report.retirements.map(({ index, leaf, dropped }) => ({
      tenant: leaf.tenant,
      number: leaf.number,
      index: index ?? null,
      from: leaf.from,
      to: leaf.to,
      leaves: leaf.leaves,
      dropped,
      reason: leaf.reason,
    })),
    counts: Object.fromEntries(report.counts),
    findings: report.findings.map(({ kind, tenant, callId, index, place, message }) => ({
      kind,
      tenant,
      call_id: callId ?? null,
      index: index ?? null,
      place,
      message,
    })),
  }
}

function showReport(report: LogVerification, kept: number, colours: Colours): readonly string[] {
  const findings = report.findings
    .slice(0, shownFindings)
    .flatMap(({ kind, tenant, place, message }) => [
      `${colours.red(kind)}  ${lineText(tenant)}: ${lineText(place)}`,
      `  ${lineText(message)}`,
    ])
  const more = [...report.counts].reduce((sum, [, count]) => sum + count, 0) - shownFindings
  const kinds = [...report.counts].map(([kind, count]) => `${count} × ${kind}: ${findingKinds[kind]}`)
  const tenants = report.tenants.map(
    ({ tenant, size, agreesWithOwn, agreesWithKept }) =>
      `${lineText(tenant)}: ${size} leaves; signed here up to ${agreesWithOwn}, by checkpoints kept elsewhere up to ${agreesWithKept}`,
  )
  const said = report.ok
    ? colours.green('The log holds.')
    : colours.red(`The log does not hold: ${more + shownFindings} findings.`)
  return [
    ...findings,
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...tenants,
    ...report.retirements.map(
      ({ leaf, dropped }) =>
        `${lineText(leaf.tenant)}: the content of ${dropped} leaves was retired (${lineText(leaf.reason)})`,
    ),
    `${said} ${report.leaves} leaves, ${report.contents} with their facts, ${report.retired} retired.`,
    ...kinds,
    ...(kept === 0
      ? ['No checkpoint kept elsewhere was given: a log rewritten with its own key would look the same.']
      : []),
  ]
}
