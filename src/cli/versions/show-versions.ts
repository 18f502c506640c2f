// What was decided about versions: what is in force of it by tool, or one decision after another.
import type { VersionDecision } from '../../contract/release/version-decision.ts'
import { type InForce, nothingDecided, withDecision } from '../../drift/versions/in-force.ts'
import { isAboutTool } from '../../drift/versions/version-desk.ts'
import { toIso } from '../../json/clock.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { done, flag, type Given, type Outcome } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { changeText, percent, wireDecision } from './version-line.ts'

export async function showVersions(
  ledger: Ledger,
  what: 'list' | 'history',
  given: Given,
  terminal: Terminal,
): Promise<Outcome> {
  const [, tool] = given.words
  const decisions = await ledger.versions.decisions(0)
  if (what === 'history') return showHistory(decisions, tool, given, terminal)
  const state = decisions.reduce<InForce>(withDecision, nothingDecided)
  const tools = [...state.tools].filter(([name]) => tool === undefined || name === tool)
  const release = state.activeReleases.at(-1)?.id
  if (flag(given, 'json')) {
    const listed = tools.map(([name, { current, canary, withdrawn, decided }]) => ({
      tool: name,
      current: current ?? null,
      canary: canary ?? null,
      withdrawn: [...withdrawn],
      decided: wireDecision(decided),
    }))
    terminal.out(JSON.stringify({ release: release ?? null, tools: listed }, null, 2))
    return done(true)
  }
  const { dim } = terminal.colours
  if (release !== undefined) terminal.out(`release ${release}`)
  if (tools.length === 0) {
    terminal.note('Nobody has decided anything: every process goes by its own options.')
    return done(true)
  }
  const rows = tools.map(([name, { current, canary, withdrawn, decided }]) => [
    lineText(name),
    lineText(current ?? 'by options'),
    lineText(canary == null ? '' : `${canary.version} ${percent(canary.share)}`),
    lineText([...withdrawn].join(', ')),
    `${toIso(decided.at).slice(0, 16)}Z`,
    lineText(`${decided.by}: ${decided.why}`),
  ])
  terminal.out(textTable([['tool', 'current', 'canary', 'rolled back', 'decided', 'by and why'].map(dim), ...rows]))
  return done(true)
}

function showHistory(
  decisions: readonly VersionDecision[],
  tool: string | undefined,
  given: Given,
  terminal: Terminal,
): Outcome {
  const wanted = tool === undefined ? decisions : decisions.filter((decision) => isAboutTool(decision, tool))
  if (flag(given, 'json')) terminal.out(JSON.stringify(wanted.map(wireDecision), null, 2))
  else if (wanted.length === 0) terminal.note('Nobody has decided anything.')
  else {
    const rows = wanted.map(({ seq, at, by, why, change }) => [
      `${seq}`,
      `${toIso(at).slice(0, 19)}Z`,
      changeText(change),
      lineText(`${by}: ${why}`),
    ])
    terminal.out(textTable(rows))
  }
  return done(true)
}
