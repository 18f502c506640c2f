// Two versions of a tool side by side, as a table.
import { Fault } from '../../contract/fault.ts'
import { compareVersions, type VersionComparison, type VersionCount } from '../../drift/versions/compare.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { done, flag, type Given, misuse, type Outcome, text } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'

export async function showComparison(
  ledger: Ledger,
  wanted: { readonly tool: string; readonly versions: readonly [string, string]; readonly since: number | undefined },
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  const tenant = text(given, 'tenant')
  const { since } = wanted
  let comparison: VersionComparison
  try {
    comparison = await compareVersions(ledger, wanted, {
      ...(since === undefined ? {} : { since }),
      ...(tenant === undefined ? {} : { tenant }),
    })
  } catch (error) {
    if (error instanceof Fault && error.code === 'bad_options') return misuse(error.message)
    throw error
  }
  if (flag(given, 'json')) {
    const { tool, versions, looked, cut } = comparison
    const wire = ({ latency, ...rest }: VersionCount) => ({ ...rest, latency_ms: latency })
    terminal.out(JSON.stringify({ tool, versions: versions.map(wire), looked, cut }, null, 2))
    return done(true)
  }
  const { dim } = terminal.colours
  const [a, b] = comparison.versions
  const counts = (name: string, of: (version: VersionCount) => { readonly [key: string]: number }) => {
    const keys = [...new Set([...Object.keys(of(a)), ...Object.keys(of(b))])].filter(
      (key) => (of(a)[key] ?? 0) + (of(b)[key] ?? 0) > 0,
    )
    return keys.map((key) => [
      `${name} ${lineText(key)}`,
      ...[a, b].map((version) => part(of(version)[key] ?? 0, version.calls)),
    ])
  }
  const latency = (name: 'p50' | 'p99') => [`latency ${name}`, ...[a, b].map((version) => ms(version.latency[name]))]
  terminal.out(
    textTable([
      ['', lineText(a.version), lineText(b.version)].map(dim),
      ['calls', `${a.calls}`, `${b.calls}`],
      ...counts('status', ({ statuses }) => statuses),
      ...counts('effect', ({ effects }) => effects),
      latency('p50'),
      latency('p99'),
      ...counts('refused by', ({ refusals }) => refusals),
    ]),
  )
  if (comparison.cut) terminal.note(dim(`The newest ${comparison.looked} calls; --since bounds them in time.`))
  return done(true)
}

const ms = (value: number | null) => (value === null ? '–' : `${Math.round(value)} ms`)
const part = (count: number, of: number) => (of === 0 ? `${count}` : `${count} (${((count / of) * 100).toFixed(1)} %)`)
