// `proviso versions compare`: two versions of a tool side by side.
import { compareVersions, type VersionCount } from '../../drift/versions/compare.ts'
import { type CommandIo, type CommandResult, misuse } from '../command.ts'
import { withLedger } from '../ledger/open-ledger.ts'
import { lineText } from '../plain-text.ts'
import { printResult, textTable } from '../print.ts'
import type { Colours } from '../terminal.ts'

export async function compareTwo(io: CommandIo): Promise<CommandResult> {
  const [tool = '', a = '', b = ''] = io.words
  const since = io.option('since')
  const moment = since === undefined ? undefined : Date.parse(since)
  if (Number.isNaN(moment)) return misuse('--since takes a date or a time, such as 2026-11-01 or 2026-11-01T12:00Z.')
  return withLedger(io, async (ledger) => {
    const comparison = await compareVersions(
      ledger,
      { tool, versions: [a, b] },
      { ...(moment === undefined ? {} : { since: moment }), ...io.pick('tenant') },
    )
    const { versions, looked, cut } = comparison
    const wire = ({ latency, ...rest }: VersionCount) => ({ ...rest, latency_ms: latency })
    const result = printResult(
      io,
      { tool: comparison.tool, versions: versions.map(wire), looked, cut },
      comparisonTable(versions, io.colours),
    )
    if (cut && !io.json) io.note(io.colours.dim(`The newest ${looked} calls; --since bounds them in time.`))
    return result
  })
}

function comparisonTable([a, b]: readonly [VersionCount, VersionCount], { dim }: Colours): string {
  const counts = (name: string, of: (version: VersionCount) => { readonly [key: string]: number }) => {
    const keys = [...new Set([...Object.keys(of(a)), ...Object.keys(of(b))])].filter(
      (key) => (of(a)[key] ?? 0) + (of(b)[key] ?? 0) > 0,
    )
    return keys.map((key) => [
      `${name} ${lineText(key)}`,
      ...[a, b].map((version) => shareText(of(version)[key] ?? 0, version.calls)),
    ])
  }
  const latency = (name: 'p50' | 'p99') => [
    `latency ${name}`,
    ...[a, b].map((version) => msText(version.latency[name])),
  ]
  return textTable([
    ['', lineText(a.version), lineText(b.version)].map(dim),
    ['calls', `${a.calls}`, `${b.calls}`],
    ...counts('status', ({ statuses }) => statuses),
    ...counts('effect', ({ effects }) => effects),
    latency('p50'),
    latency('p99'),
    ...counts('refused by', ({ refusals }) => refusals),
  ])
}

const msText = (value: number | null) => (value === null ? '–' : `${Math.round(value)} ms`)
const shareText = (count: number, of: number) =>
  of === 0 ? `${count}` : `${count} (${((count / of) * 100).toFixed(1)} %)`
