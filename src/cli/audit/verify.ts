// `proviso audit verify`: holds the stored logs against signed checkpoints and names each thing that does not fit.
import { findingKinds } from '../../ledger/log/audit/audit-finding.ts'
import { readKept } from '../../ledger/log/kept-checkpoints.ts'
import { chainFileOf } from '../../ledger/log/keys/key-file.ts'
import type { LogVerification } from '../../ledger/ports/transparency-log.ts'
import { type CommandIo, type CommandResult, misuse } from '../command.ts'
import { lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'
import { barText } from '../progress-bar.ts'
import type { Colours } from '../terminal.ts'
import { keyFileOf, trustedKeys, urlOrPath, withLog } from './log.ts'

const shownFindings = 100

export async function verifyLogs(io: CommandIo): Promise<CommandResult> {
  const kept: string[] = []
  for (const place of io.optionList('checkpoint')) {
    const reading = await readKept(urlOrPath(place, io))
    if (!reading.ok) return misuse(reading.reason)
    if (reading.checkpoints.length === 0) return misuse(`${place} holds no checkpoint.`)
    kept.push(...reading.checkpoints)
  }
  const keyFile = keyFileOf(io)
  const trusted = await trustedKeys(io, keyFile === undefined ? undefined : chainFileOf(keyFile))
  if (!trusted.ok) return trusted.result
  return withLog(io, async (log) => {
    const startedAt = performance.now()
    const report = await log.verify({
      ...io.pick('tenant'),
      kept,
      keys: trusted.value,
      onProgress: ({ leaves, of, tenant }) => io.progress?.(barText(Math.min(leaves, of), of, lineText(tenant))),
    })
    io.progress?.('')
    const seconds = Math.round(performance.now() - startedAt) / 1_000
    if (report.notSequenced !== undefined)
      io.note(`What waits for the log could not be put there: ${lineText(report.notSequenced)}`)
    const wire = wireVerified(report, kept.length, seconds)
    return printResult(io, wire, verifiedText(report, kept.length, io.colours), report.ok)
  })
}

function wireVerified(report: LogVerification, kept: number, seconds: number) {
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

function verifiedText(report: LogVerification, kept: number, colours: Colours): readonly string[] {
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
  const verdict = report.ok
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
    `${verdict} ${report.leaves} leaves, ${report.contents} with their facts, ${report.retired} retired.`,
    ...kinds,
    ...(kept === 0
      ? ['No checkpoint kept elsewhere was given: a log rewritten with its own key would look the same.']
      : []),
  ]
}
