// What the parts of the walk through a value share. A walk never decides alone: the judge answers every yes or no.
import type { JsonValue } from '../../json/value.ts'
import type { Judge } from '../judge/judge.ts'
import type { NormalObject, NormalSchema } from '../normal.ts'
import type { Facets } from './facets.ts'
import type { Findings } from './finding.ts'
import { childPlace, type Place } from './place.ts'

export interface Walk {
  readonly judge: Judge
  readonly facets: Facets
  /** Finds what is wrong at this place under this schema and below it. */
  visit(schema: NormalSchema, place: Place, into: Findings): void
  /** An empty list for findings that may yet be thrown away. */
  scratch(): Findings
}

/** A node that applies at a place, and the list for what is wrong there. */
export interface AppliedNode {
  readonly node: NormalObject
  readonly place: Place
  readonly into: Findings
}

export interface Step {
  readonly token: string | number
  readonly value: JsonValue
  readonly declared: boolean
}

/** Goes one step down. Scalars that fit are skipped first: most parts of a large value are such scalars. */
export function enter(walk: Walk, schema: NormalSchema, { place, into }: AppliedNode, step: Step): void {
  const { value } = step
  if (schema === true || ((typeof value !== 'object' || value === null) && walk.judge.accepts(schema, value))) return
  walk.visit(schema, childPlace(place, step.token, value, step.declared), into)
}
