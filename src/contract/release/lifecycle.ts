// Where a version stands in its life at a moment: active, announced to end, or ended. A sunset date is the first day on which the version is
// refused, and that day begins at midnight UTC, wherever the caller is.
import type { EpochMs } from '../../json/clock.ts'
import type { Contract } from '../tool/envelope.ts'

export type Stage =
  | { readonly kind: 'active' }
  /** Still runs; the note goes with every answer. */
  | { readonly kind: 'deprecated'; readonly note: string }
  | { readonly kind: 'ended'; readonly note: string }

const active: Stage = Object.freeze({ kind: 'active' })

/** Whether the stage depends on the time. */
export const isDated = ({ identity }: Contract): boolean => identity.lifecycle.sunset_date !== null

/** Without a time, the sunset date counts as not reached. */
export function stageAt({ identity }: Contract, now: EpochMs | undefined): Stage {
  const { status, sunset_date: sunset, replacement } = identity.lifecycle
  if (status === 'active' && sunset === null) return active
  const instead = replacement === null ? '' : ` Use ${replacement} instead.`
  const over = sunset !== null && now !== undefined && !(now < Date.parse(`${sunset}T00:00:00Z`))
  if (status === 'sunsetted' || over) return { kind: 'ended', note: `This tool is no longer offered.${instead}` }
  const until = sunset === null ? '' : ` It is refused from ${sunset} on, 00:00 UTC.`
  return { kind: 'deprecated', note: `deprecated: this tool will go away.${until}${instead}` }
}
