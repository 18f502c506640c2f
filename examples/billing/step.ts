// One step of the demo: what the scripted agent proposes, what people did meanwhile, and what it must come to.
import type { CallContext, Effect, Proposal, Proviso, TaxonomyClass } from '../../src/index.ts'
import type { Desk, EffectCounts } from './world/desk.ts'

export interface Stage {
  readonly desk: Desk
  readonly proviso: Proviso
}

export interface Step {
  /** A new part of the story begins here. */
  readonly act?: string
  readonly title: string
  /** Something that happens before the agent speaks. What it gives is shown, line by line. */
  readonly meanwhile?: { readonly says: string; act(stage: Stage): Promise<readonly string[]> }
  readonly proposal: Proposal
  readonly context?: CallContext
  /** Left out where Cedar is not installed. */
  readonly needs?: 'cedar'
  /** The packet is shown whole, as people see it. */
  readonly card?: true
  readonly expect: {
    readonly class: TaxonomyClass
    readonly effect: Effect
    /** The phase that ended the call; none when it went all the way. */
    readonly endedBy?: string
    /** The one thing in the world that is there afterwards and was not before. */
    readonly adds?: keyof EffectCounts
  }
  readonly says: string
}

export const propose = (callId: string, tool: string, args: unknown): Proposal => ({
  tool,
  callId,
  arguments: JSON.stringify(args),
})
