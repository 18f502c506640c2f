// A place inside the value: the way to it, what stands there, and which schemas were applied to it.
// Invariant: keys that the schema does not declare are never shown below a place marked sensitive.
import { appendPointer, fieldPath, tokensOf } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import { getOrMake } from '../judge/effort.ts'
import type { NormalObject } from '../normal.ts'
import { cut, escapeUnseen, nameBound } from './bounded-text.ts'

export interface Place {
  readonly parent: Place | undefined
  readonly token: string | number
  /** Whether the schema, and not the sender, chose the token. */
  readonly declared: boolean
  readonly depth: number
  /** Undefined where a property is missing. */
  readonly value: JsonValue | undefined
  /** The schemas applied to the object that stands here, for hints about its names. Grows during the walk. */
  applied: NormalObject[] | undefined
}

const pointerTokenBound = 256
const fieldBound = 400

export function rootPlace(value: JsonValue): Place {
  return { parent: undefined, token: '', declared: true, depth: 0, value, applied: undefined }
}

export function childPlace(
  parent: Place,
  token: string | number,
  value: JsonValue | undefined,
  declared = true,
): Place {
  return { parent, token, declared, depth: parent.depth + 1, value, applied: undefined }
}

/** The places from the root down, the root left out. */
function wayTo(place: Place): readonly Place[] {
  const way: Place[] = []
  for (let here = place; here.parent !== undefined; here = here.parent) way.push(here)
  return way.reverse()
}

/** Numbers places, so that two walks to the same place get the same number without writing out its pointer. */
export type PlaceNumbers = (place: Place) => number

export function numberPlaces(): PlaceNumbers {
  const known = new Map<Place, number>()
  const children = new Map<number, Map<string | number, number>>()
  let next = 1
  return (place) => {
    const steps: Place[] = []
    let here: Place = place
    while (here.parent !== undefined && !known.has(here)) {
      steps.push(here)
      here = here.parent
    }
    let number = known.get(here) ?? 0
    for (const step of steps.reverse()) {
      const siblings = getOrMake(children, number, () => new Map<string | number, number>())
      number = getOrMake(siblings, step.token, () => next++)
      known.set(step, number)
    }
    return number
  }
}

/** `*` matches any token. Patterns come from a binding, checked when it is registered. */
export type Sensitivity = readonly (readonly string[])[]

export function sensitivityOf(pointers: readonly string[]): Sensitivity {
  return pointers.map(tokensOf)
}

/** True at, below and above a sensitive place: above it, the value contains what must not be shown. */
export function isSensitive(place: Place, marked: Sensitivity): boolean {
  if (marked.length === 0) return false
  const way = wayTo(place)
  return marked.some((pattern) => agree(pattern, way, Math.min(pattern.length, way.length)))
}

function agree(pattern: readonly string[], way: readonly Place[], length: number): boolean {
  for (let index = 0; index < length; index++) {
    if (pattern[index] !== '*' && pattern[index] !== String(way[index]?.token)) return false
  }
  return true
}

/** The number of steps after which a place lies inside a sensitive one, or Infinity. */
function hiddenFrom(way: readonly Place[], marked: Sensitivity): number {
  let from = Number.POSITIVE_INFINITY
  for (const pattern of marked) {
    if (pattern.length < way.length && pattern.length < from && agree(pattern, way, pattern.length))
      from = pattern.length
  }
  return from
}

/** What is shown of a place: keys below a sensitive one that the sender chose become `*`. */
export function showPlace(place: Place, marked: Sensitivity): { readonly field: string; readonly pointer: string } {
  const way = wayTo(place)
  const hidden = hiddenFrom(way, marked)
  const tokens = way.map((step, index) => (index >= hidden && !step.declared ? '*' : step.token))
  const pointer = tokens.reduce<string>(
    (start, token) => appendPointer(start, boundToken(token, pointerTokenBound)),
    '',
  )
  const field = escapeUnseen(fieldPath(tokens.map((token) => boundToken(token, nameBound))))
  if (field.length <= fieldBound) return { field, pointer }
  return { field: `${field.slice(0, 100)}…${field.slice(101 - fieldBound)}`, pointer }
}

/** Whether keys that the sender chose for the object at this place must not be shown: it is sensitive, or inside one. */
export function hidesKeys(place: Place, marked: Sensitivity): boolean {
  const way = wayTo(place)
  return marked.some((pattern) => pattern.length <= way.length && agree(pattern, way, pattern.length))
}

function boundToken(token: string | number, bound: number): string | number {
  return typeof token === 'number' ? token : cut(token, bound)
}
