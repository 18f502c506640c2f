// The shape of a table "what came back → effect", one for each executor. Beside the executor stands a double of what it talks to: it does
// the deed or leaves it, and then answers as it is told. A row says what the answer of a call may claim of its effect after such an answer.
import type { Effect } from '../../src/contract/call/answer.ts'
import type { Executor } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/value.ts'

export type Deed = 'done' | 'left'

export interface EffectTable {
  readonly executor: string
  open(): Promise<Stage>
}

/** One double, set up once for all rows of a table. */
export interface Stage {
  /** Where it connects to on this machine. */
  readonly ports: readonly number[]
  readonly credentials?: ReadonlyMap<string, string>
  readonly keyHeader?: string
  readonly rows: readonly EffectRow[]
  /** How often the deed of the case that was arranged last is to be seen in the world. */
  seen(): number | Promise<number>
  close(): unknown
}

export interface EffectRow {
  /** What came back, in words. */
  readonly came: string
  /** What the answer has to say then. `any`: whatever the world shows, where the double cannot know beforehand what it will show. */
  readonly effect: Exclude<Effect, 'pending'> | 'any'
  /** Where it says `none` or `happened`: whose word that is, such as a section of a standard. */
  readonly because?: string
  /** Of `any`: whether the double is told to do its deed and to leave it; both by default. */
  readonly deeds?: readonly Deed[]
  readonly cases: () => Iterable<EffectCase>
}

/** One answer. After a row that says `none` or `happened` the double keeps to the word it is believed by; otherwise it may do either. */
export interface EffectCase {
  readonly name: string
  readonly executor: Executor
  readonly args?: JsonObject
  /** The time of its call: one of the two that the judge offers. */
  readonly timeoutMs?: 5_000 | 300
  /** Tells the double what comes next, and forgets the deeds of before. */
  arrange(deed: Deed): void | Promise<void>
}

/** What the party that is believed may have done before it answered so. */
export function deedsOf({ effect, deeds }: Pick<EffectRow, 'effect' | 'deeds'>): readonly Deed[] {
  if (deeds !== undefined) return deeds
  switch (effect) {
    case 'none':
      return ['left']
    case 'happened':
      return ['done']
    case 'unknown':
    case 'any':
      return ['done', 'left']
  }
}
