// What the conditions of policies read: attribute names, and entities named in the text. A policy cannot observe an attribute that is not
// mentioned here, so nothing else has to be sent to the engine.
import { isObject, type JsonValue } from '../../json/value.ts'

export interface EntityName {
  readonly type: string
  readonly id: string
}

export interface Mentions {
  /** Attributes whose value is used as a whole: everything beneath them is read. */
  readonly whole: ReadonlySet<string>
  /** Attributes tested for presence, or passed through on the way to another. */
  readonly through: ReadonlySet<string>
  /** The context itself is used as a value: everything is read. */
  readonly everything: boolean
  readonly entities: readonly EntityName[]
  /** Some number is beyond 2^53 and was not read exactly. */
  readonly inexact: boolean
}

interface Notes {
  readonly whole: Set<string>
  readonly through: Set<string>
  readonly entities: EntityName[]
  everything: boolean
  inexact: boolean
}

/** Of a policy in Cedar's own JSON form. */
export function mentionsOf(policy: JsonValue): Mentions {
  const notes: Notes = { whole: new Set(), through: new Set(), entities: [], everything: false, inexact: false }
  if (!isObject(policy)) return notes
  for (const part of [policy.principal, policy.action, policy.resource]) if (part !== undefined) noteScope(part, notes)
  if (Array.isArray(policy.conditions)) for (const clause of policy.conditions) walk(clause.body, true, notes)
  return notes
}

export function joinMentions(all: readonly Mentions[]): Mentions {
  return {
    whole: new Set(all.flatMap(({ whole }) => [...whole])),
    through: new Set(all.flatMap(({ through }) => [...through])),
    everything: all.some(({ everything }) => everything),
    entities: all.flatMap(({ entities }) => entities),
    inexact: all.some(({ inexact }) => inexact),
  }
}

export function isMentioned(name: string, mentions: Mentions): boolean {
  return mentions.everything || mentions.whole.has(name) || mentions.through.has(name)
}

/** Scopes hold entities bare, without the escape that conditions need. */
function noteScope(part: JsonValue, notes: Notes): void {
  if (Array.isArray(part)) for (const each of part) noteScope(each, notes)
  else if (isObject(part)) {
    if (typeof part.type === 'string' && typeof part.id === 'string') {
      notes.entities.push({ type: part.type, id: part.id })
    } else for (const each of Object.values(part)) noteScope(each, notes)
  }
}

function walk(node: JsonValue | undefined, isWhole: boolean, notes: Notes): void {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, true, notes)
    return
  }
  if (!isObject(node)) return
  for (const [operator, body] of Object.entries(node)) walkOperator(operator, body, isWhole, notes)
}

function walkOperator(operator: string, body: JsonValue, isWhole: boolean, notes: Notes): void {
  if (operator === 'Var') {
    if (isWhole && body === 'context') notes.everything = true
  } else if (operator === 'Value') noteLiteral(body, notes)
  else if (operator === '.' && isObject(body) && typeof body.attr === 'string') {
    const names = isWhole ? notes.whole : notes.through
    names.add(body.attr)
    walk(body.left, false, notes)
  } else if (operator === 'has' && isObject(body)) {
    const attributes = Array.isArray(body.attr) ? body.attr : [body.attr]
    for (const name of attributes) if (typeof name === 'string') notes.through.add(name)
    walk(body.left, false, notes)
  } else if (operator === 'is' && isObject(body)) {
    walk(body.left, true, notes)
    walk(body.in, true, notes)
  } else if (operator === 'like' && isObject(body)) walk(body.left, true, notes)
  else if (isObject(body)) for (const each of Object.values(body)) walk(each, true, notes)
  else walk(body, true, notes)
}

function noteLiteral(value: JsonValue, notes: Notes): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) notes.inexact = true
  else if (Array.isArray(value)) for (const each of value) noteLiteral(each, notes)
  else if (isObject(value)) {
    const { __entity: entity } = value
    if (isObject(entity) && typeof entity.type === 'string' && typeof entity.id === 'string') {
      notes.entities.push({ type: entity.type, id: entity.id })
    } else for (const each of Object.values(value)) noteLiteral(each, notes)
  }
}
