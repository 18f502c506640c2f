// Finds the tool by name or alias on the surface of this run. A name is only ever a Map key.
import { nearestNames } from '../../json/nearest.ts'
import { type Gate, stop, type Verdict } from '../phase.ts'

export const resolve: Gate = {
  name: 'resolve',
  does: 'Finds the tool by name or alias on the surface of this run.',
  stopsWith: [
    { class: 'STRUCTURAL_VIOLATION', reasons: ['unknown_tool', 'schema_not_loaded'] },
    { class: 'POLICY_VIOLATION', reasons: ['blocked_tool', 'contract_sunsetted'] },
  ],
  decide({ proposal, surface }): Verdict {
    // A tool's own name comes before anybody's alias.
    const entry = surface.entries.get(proposal.tool) ?? surface.entries.get(surface.aliases.get(proposal.tool) ?? '')
    if (entry === undefined || entry.status === 'excluded') return unknownTool(proposal.tool, surface.entries)
    switch (entry.status) {
      case 'loaded':
        return {
          kind: 'pass',
          gives:
            entry.deprecated === undefined ? { tool: entry.tool } : { tool: entry.tool, warnings: [entry.deprecated] },
        }
      case 'deferred':
        return stop('STRUCTURAL_VIOLATION', 'schema_not_loaded', entry.note, { gives: { tool: entry.tool } })
      case 'blocked': {
        const reason = entry.reason === 'contract_sunsetted' ? 'contract_sunsetted' : 'blocked_tool'
        return stop('POLICY_VIOLATION', reason, entry.note, { gives: { tool: entry.tool } })
      }
    }
  },
}

type Entries = Parameters<Gate['decide']>[0]['surface']['entries']

/** Excluded tools are not mentioned: a run must not learn of what it may not see. */
function unknownTool(wanted: string, entries: Entries): Verdict {
  const visible: string[] = []
  for (const [name, entry] of entries) if (entry.status !== 'excluded') visible.push(name)
  const near = nearestNames(wanted, visible)
  const advice =
    near.length === 0
      ? 'Choose one of the tools offered.'
      : `Did you mean ${near.map((name) => `\`${name}\``).join(' or ')}?`
  return stop('STRUCTURAL_VIOLATION', 'unknown_tool', [
    {
      field: '$',
      expected: near.length === 0 ? 'the name of an offered tool' : near.join(' or '),
      actual: 'an unknown name',
      message: `There is no tool of this name. ${advice}`,
    },
  ])
}
