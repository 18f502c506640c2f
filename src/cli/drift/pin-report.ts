// What has changed of a source, for people and for machines: every tool that is quarantined, with each change, why it matters and a value
// that shows it.
import type { PinReport } from '../../drift/pins/judge-pin.ts'
import { findingsText } from '../diff/show-diff.ts'
import { lineText } from '../plain-text.ts'
import type { Colours } from '../terminal.ts'

export function pinReportText({ source, pinned, drifts, unchanged, servedHash }: PinReport, colours: Colours): string {
  const { bold, dim, green, red } = colours
  const name = bold(lineText(source))
  if (drifts.length === 0) return `${green('fits')}  ${name}  ${unchanged} tools as they were approved`
  const head = pinned
    ? `${red('drift')}  ${name}  ${drifts.length} changed and quarantined, ${unchanged} as they were approved`
    : `${red('new')}  ${name}  ${drifts.length} that no person has approved`
  return [
    head,
    ...drifts.map(
      ({ tool, change, findings }) => `\n${bold(lineText(tool))} ${dim(change)}\n${findingsText(findings, colours)}`,
    ),
    `\n${dim('served')} ${servedHash}`,
  ].join('\n')
}

export function wirePinReport({ source, capabilities, pinned, servedHash, unchanged, drifts }: PinReport): object {
  return {
    source,
    capabilities,
    pinned,
    served_hash: servedHash,
    unchanged,
    drifts,
  }
}
