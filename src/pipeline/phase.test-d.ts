// What the compiler holds phases to: what a stage has for sure, the phases before it have given; and a verdict gives nothing else.
import { expectTypeOf, test } from 'vitest'
import type { JudgedCall, OpenedCall, ResolvedCall } from '../contract/call/stages.ts'
import { type Act, type Gate, type Gives, passWith, stop } from './phase.ts'
import type { admit } from './phases/admit.ts'
import type { observe } from './phases/hooks.ts'
import type { permission } from './phases/permission.ts'
import type { resolve } from './phases/resolve.ts'
import type { semantics } from './phases/semantics.ts'
import type { parse } from './phases/validation.ts'

type GivenBy<P> =
  P extends Gate<infer _Stage, infer Given, infer _Evidence> ? Given : P extends Act<infer _S, infer G> ? G : never

/** Fields of a stage that can be undefined are there from the start; the others have to be given. */
type Certain<Stage> = { [Field in keyof Stage as undefined extends Stage[Field] ? never : Field]: Stage[Field] }

test('resolve and parse give what a resolved call has', () => {
  expectTypeOf<OpenedCall & GivenBy<typeof resolve> & GivenBy<typeof parse>>().toExtend<Certain<ResolvedCall>>()
})

test('semantics and observe give what a judged call has, but for its counts and times', () => {
  expectTypeOf<ResolvedCall & GivenBy<typeof semantics> & GivenBy<typeof observe>>().toExtend<
    Omit<Certain<JudgedCall>, 'judgedAt' | 'generation' | 'overtaken' | 'contradicted'>
  >()
})

test('a phase takes its stage', () => {
  expectTypeOf<Parameters<typeof permission.decide>[0]>().toEqualTypeOf<JudgedCall>()
  expectTypeOf<Parameters<typeof admit.act>[0]>().toEqualTypeOf<JudgedCall>()
  // @ts-expect-error: an opened call has no tool yet
  expectTypeOf<OpenedCall>().toHaveProperty('tool')
})

test('a verdict gives what belongs to its phase, and nothing else', () => {
  const gate: Pick<Gate<ResolvedCall, Gives<JudgedCall, 'observableInput', 'warnings'>>, 'decide'> = {
    // @ts-expect-error: a pass of this phase gives observableInput
    decide: () => ({ kind: 'pass' }),
  }
  gate.decide = () => passWith({ observableInput: {} })
  // @ts-expect-error: the state is not this phase's to give
  gate.decide = () => passWith({ observableInput: {}, state: null })
  // @ts-expect-error: nor in a refusal
  gate.decide = () => stop('STALE_STATE', 'stale_state', 'Gone.', { gives: { state: null } })
})
