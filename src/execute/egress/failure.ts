// What a request without a reply means for a tool: its code, its class, and whether its effect can be there.
import { ToolError, Withheld } from '../../contract/fault.ts'
import type { Followed } from './follow.ts'

/** `mutates`: the request was meant to change something; `withEffect`: redirects by which its provider says that it was done. */
export function requestFailure(
  followed: Exclude<Followed, { kind: 'reply' }>,
  mutates: boolean,
  withEffect: readonly number[] = [],
): ToolError {
  const effect = !mutates
    ? 'none'
    : (effectBefore(followed, withEffect) ?? (mayHaveHappened(followed) ? 'unknown' : 'none'))
  switch (followed.kind) {
    case 'refused':
      return new ToolError('egress_refused', followed.message, { effect, class: 'POLICY_VIOLATION' })
    case 'stray':
      return new ToolError('redirect_refused', followed.message, { effect, class: 'DEPENDENCY_UNAVAILABLE' })
    case 'withheld':
      return effect === 'none' ? new Withheld() : new ToolError('withheld', tooLate, { effect, class: 'TIMEOUT' })
    case 'failed':
      return new ToolError(followed.code, followed.message, {
        effect,
        class: followed.code === 'canceled' ? 'TIMEOUT' : 'DEPENDENCY_UNAVAILABLE',
      })
  }
}

const tooLate = 'It was too late to follow a redirect; what stood before it may have been done.'

/**
 * What is known of a change that was answered with a redirect to a look; undefined where it was not. 307 and 308 say that the request still
 * has to be carried out, elsewhere; other redirects may come after the effect.
 */
export function effectBefore(
  { turnedBy }: Pick<Followed, 'turnedBy'>,
  withEffect: readonly number[],
): 'happened' | 'unknown' | undefined {
  if (turnedBy === undefined) return undefined
  return withEffect.includes(turnedBy) ? 'happened' : 'unknown'
}

function mayHaveHappened(followed: Exclude<Followed, { kind: 'reply' }>): boolean {
  return followed.kind === 'stray' ? followed.status < 307 : followed.kind === 'failed' && followed.sent
}

/** A request of `context.fetch` that came to no response; it also says whether anything of the request was sent. */
export class FetchError extends ToolError {
  /** False where nothing of the request can have left. */
  readonly sent: boolean

  constructor(failure: ToolError) {
    super(failure.code, failure.message, { class: failure.class })
    this.name = 'FetchError'
    this.sent = failure.effect !== 'none'
  }
}
