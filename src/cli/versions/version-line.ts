// Decisions about versions, as a line and on the wire.
import type { VersionChange, VersionDecision } from '../../contract/release/version-decision.ts'
import { toIso } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import { lineText } from '../plain-text.ts'

export function changeText(change: VersionChange): string {
  switch (change.kind) {
    case 'promote':
      return lineText(
        `${change.tool} ${change.version} is current${change.from === null ? '' : `, after ${change.from}`}`,
      )
    case 'canary': {
      const { tool, canary } = change
      if (canary === null) return lineText(`the canary of ${tool} is ended`)
      const whose = canary.tenants === undefined ? '' : ` of ${canary.tenants.join(', ')}`
      return lineText(`${tool} ${canary.version} is tried out by ${percent(canary.share)} of the runs${whose}`)
    }
    case 'rollback':
      return lineText(
        change.canary === null
          ? `${change.tool} is rolled back`
          : `the canary ${change.tool} ${change.canary} is rolled back`,
      )
    case 'promote_release':
      return lineText(`release ${change.release.id.slice(0, 12)} for ${change.release.model} is in force`)
    case 'rollback_release':
      return 'the last release is rolled back'
  }
}

export const percent = (share: number) => `${Number((share * 100).toFixed(3))} %`

export const wireDecision = ({ seq, at, by, why, change }: VersionDecision): JsonObject => ({
  seq,
  at: toIso(at),
  by,
  why,
  change: change as unknown as JsonObject,
})
