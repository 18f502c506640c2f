// `proviso versions`: which version of a tool is in force and who decided it, and two versions compared. A decision holds in every process
// that shares the ledger.
import type { VersionDecision } from '../../contract/release/version-decision.ts'
import { compareVersions, type VersionCount } from '../../drift/versions/compare.ts'
import { type InForce, nothingDecided, type ToolInForce, withDecision } from '../../drift/versions/in-force.ts'
import { isAboutTool } from '../../drift/versions/version-desk.ts'
import { toIso } from '../../json/clock.ts'
import { type CommandBody, type CommandIo, type CommandResult, misuse, runActions } from '../command.ts'
import { ledgerOptions } from '../ledger/ledger-place.ts'
import { withLedger } from '../ledger/open-ledger.ts'
import { ownKeyOption } from '../people.ts'
import { lineText } from '../plain-text.ts'
import { type Column, listLines, printList, printResult, textTable } from '../print.ts'
import type { Colours } from '../terminal.ts'
import { changeText, decideVersion, percentText, wireDecision } from './decide.ts'

export const versionsCommand: CommandBody = {
  arguments: [
    { syntax: '[action]', about: 'list, history, promote, canary, rollback, release or compare; without one, list' },
    { syntax: '[tool]', about: 'the tool; with release: the file of the manifest' },
    { syntax: '[version]', about: 'with promote, canary and compare: its version' },
    { syntax: '[other]', about: 'with compare: the version to compare with' },
  ],
  options: [
    { flags: '--why <text>', about: 'why; recorded with every decision' },
    { flags: '--share <part>', about: 'with canary: the part of the runs that get it, from 0 to 1' },
    { flags: '--tenants <names>', about: 'with canary: only runs of these tenants', repeats: true },
    { flags: '--end', about: 'with canary: no further run gets it; runs that began with it keep it' },
    { flags: '--release', about: 'with rollback: the last release instead of one tool' },
    { flags: '--since <when>', about: 'with compare: only calls since this date or time, such as 2026-11-01' },
    { flags: '--tenant <name>', about: 'with compare: only calls of this tenant' },
    ownKeyOption,
    ...ledgerOptions,
    { flags: '--json', about: 'print one JSON value, snake_case' },
  ],
  examples: [
    'proviso versions',
    'proviso versions canary refund 2.0.0 --share 0.1 --tenants acme,globex --why "first week"',
    'proviso versions compare refund 1.4.0 2.0.0 --since 2026-11-01',
    'proviso versions promote refund 2.0.0 --why "no refusals in a week"',
    'proviso versions rollback refund --why "amounts are rounded wrong"',
    'proviso versions release release.json --why "new model"',
  ],
  exits: [
    'listed, compared, or decided and recorded',
    'the key does not do, or there is nothing to decide, and nothing was changed',
    'wrong usage, a file that is no manifest, or a ledger that is missing or cannot be opened',
  ],
  run: runActions(
    'versions',
    {
      list: { takes: '[TOOL]', run: listVersions },
      history: { takes: '[TOOL]', run: showHistory },
      promote: {
        takes: 'TOOL VERSION',
        asks: 'which tool and which version',
        run: (io) => decideVersion('promote', io),
      },
      canary: {
        takes: 'TOOL [VERSION]',
        asks: 'which tool',
        run: (io) => decideVersion('canary', io),
      },
      rollback: {
        takes: '[TOOL]',
        run: (io) => decideVersion('rollback', io),
      },
      release: {
        takes: 'FILE',
        asks: 'which file',
        run: (io) => decideVersion('release', io),
      },
      compare: {
        takes: 'TOOL A B',
        asks: 'which tool and which two versions',
        run: compareTwo,
      },
    },
    { default: 'list' },
  ),
}

/** What is in force now, by tool. */
function listVersions(io: CommandIo): Promise<CommandResult> {
  return withLedger(io, async (ledger) => {
    const [tool] = io.words
    const decisions = await ledger.versions.decisions(0)
    const state = decisions.reduce<InForce>(withDecision, nothingDecided)
    const tools = [...state.tools].filter(([name]) => tool === undefined || name === tool)
    const release = state.activeReleases.at(-1)?.id
    const wire = tools.map(([name, { current, canary, withdrawn, decided }]) => ({
      tool: name,
      current: current ?? null,
      canary: canary ?? null,
      withdrawn: [...withdrawn],
      decided: wireDecision(decided),
    }))
    const result = printResult(io, { release: release ?? null, tools: wire }, [
      ...(release === undefined ? [] : [`release ${release}`]),
      ...(tools.length === 0 ? [] : listLines(tools, { columns: versionColumns }, io.colours)),
    ])
    if (!io.json && tools.length === 0) io.note('Nothing was decided: every process goes by its own options.')
    return result
  })
}

const versionColumns: readonly Column<readonly [string, ToolInForce]>[] = [
  { title: 'tool', text: ([name]) => name },
  { title: 'current', text: ([, { current }]) => current ?? 'by options' },
  {
    title: 'canary',
    text: ([, { canary }]) => (canary == null ? '' : `${canary.version} ${percentText(canary.share)}`),
  },
  { title: 'rolled back', text: ([, { withdrawn }]) => [...withdrawn].join(', ') },
  { title: 'decided', text: ([, { decided }]) => `${toIso(decided.at).slice(0, 16)}Z` },
  { title: 'by and why', text: ([, { decided }]) => `${decided.by}: ${decided.why}` },
]

/** One decision after another. */
function showHistory(io: CommandIo): Promise<CommandResult> {
  return withLedger(io, async (ledger) => {
    const [tool] = io.words
    const decisions = await ledger.versions.decisions(0)
    const wanted = tool === undefined ? decisions : decisions.filter((decision) => isAboutTool(decision, tool))
    return printList(io, wanted, { columns: historyColumns, wire: wireDecision, none: 'Nothing was decided.' })
  })
}

const historyColumns: readonly Column<VersionDecision>[] = [
  { title: '', text: ({ seq }) => String(seq) },
  { title: '', text: ({ at }) => `${toIso(at).slice(0, 19)}Z` },
  { title: '', text: ({ change }) => changeText(change) },
  { title: '', text: ({ by, why }) => `${by}: ${why}` },
]

/** Two versions of a tool side by side. */
async function compareTwo(io: CommandIo): Promise<CommandResult> {
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
