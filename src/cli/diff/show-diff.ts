// A comparison for people and for machines: by tool, worst first, each change with why it matters and a value that shows it.
import type { NamedCheck, SourceDiff } from '../../drift/diff/diff-sources.ts'
import { type DriftFinding, type DriftLevel, driftLevels } from '../../drift/finding.ts'
import type { SourceKind } from '../../drift/snapshot.ts'
import { lineText, shortJson } from '../plain-text.ts'
import type { Colours } from '../terminal.ts'

const witnessLength = 1_000

export function diffText(
  { findings, versions, needed }: SourceDiff,
  { quiet, colours }: { readonly quiet: boolean; readonly colours: Colours },
): string {
  const shown = quiet ? findings.filter(({ level }) => level !== 'info' && level !== 'compatible') : findings
  const tools = [...Map.groupBy(shown, ({ tool }) => tool)]
  return [
    ...tools.map(([tool, own]) => `${colours.bold(lineText(tool))}\n${findingsText(own, colours)}\n`),
    countsOf(findings, colours),
    ...versions.filter(({ fits, needed: own }) => !fits || own !== 'none').map((check) => versionLine(check, colours)),
    ...(needed === 'none' ? ['Nothing has changed.'] : []),
  ].join('\n')
}

/** The changes of one tool, worst first. */
export function findingsText(findings: readonly DriftFinding[], colours: Colours): string {
  const { dim } = colours
  return findings
    .toSorted((one, other) => driftLevels.indexOf(one.level) - driftLevels.indexOf(other.level))
    .map(({ level, rule, pointer, message, why, witness }) =>
      [
        `  ${levelShade(level, colours)(level)}  ${rule}${pointer === '' ? '' : dim(`  ${lineText(pointer)}`)}`,
        `    ${lineText(message)}`,
        `    ${dim(why)}`,
        ...(witness === undefined ? [] : [`    ${dim('witness')} ${shortJson(witness, witnessLength)}`]),
      ].join('\n'),
    )
    .join('\n')
}

function countsOf(findings: readonly DriftFinding[], colours: Colours): string {
  const counts = driftLevels.flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length
    return count === 0 ? [] : [levelShade(level, colours)(`${count} ${level}`)]
  })
  return counts.length === 0 ? 'No changes.' : counts.join(', ')
}

function versionLine({ tool, from, to, needed, declared, fits, suggested }: NamedCheck, colours: Colours): string {
  const what = tool === undefined ? '' : `${lineText(tool)} `
  const range =
    from === undefined && to === undefined
      ? 'without versions'
      : `${lineText(from ?? 'none')} → ${lineText(to ?? 'none')}`
  const verdict = fits ? colours.green('fits') : colours.red('does not fit')
  const step = declared === undefined ? '' : ` and declares ${declared === 'none' ? 'no step' : declared}`
  const remedy = fits || suggested === undefined ? '' : `; the least version that does is ${lineText(suggested)}`
  return `${what}${range}: the change needs a ${needed} step${step}: ${verdict}${remedy}`
}

export function levelShade(level: DriftLevel, { cyan, green, red, yellow }: Colours): (text: string) => string {
  switch (level) {
    case 'breaking':
    case 'unknown':
      return red
    case 'dangerous':
      return yellow
    case 'compatible':
      return green
    case 'info':
      return cyan
  }
}

export function wireDiff({ findings, needed, versions, fits }: SourceDiff, kind: SourceKind): object {
  return {
    ok: fits,
    kind,
    needed,
    counts: Object.fromEntries(
      driftLevels.map((level) => [level, findings.filter((one) => one.level === level).length]),
    ),
    versions: versions.map(
      ({ tool = null, from = null, to = null, needed: own, declared = null, fits: ok, suggested = null }) => {
        return { tool, from, to, needed: own, declared, ok, suggested }
      },
    ),
    findings,
  }
}
