// What people say became of a held attempt. Where its class demands several, each says it on their own, and it counts once enough of
// them say the same; who says something else later has changed their mind.
import { personOf } from '../../contract/approval-pattern.ts'

export interface Statement {
  readonly by: string
  readonly effect: 'happened' | 'none'
  readonly why: string
}

export interface JoinedStatements {
  readonly statements: readonly Statement[]
  /** Who says what was said last. */
  readonly people: readonly string[]
  /** The same as text, for the record. */
  readonly by: string
  readonly why: string
}

export function joinStatements(before: readonly Statement[], added: Statement): JoinedStatements {
  const others = before.filter(({ by }) => personOf(by) !== personOf(added.by))
  const agreeing = [...others.filter(({ effect }) => effect === added.effect), added]
  return {
    statements: [...others, added],
    people: agreeing.map(({ by }) => by),
    by: agreeing.map(({ by }) => by).join(', '),
    why: agreeing.map(({ why }) => why).join('; '),
  }
}
