// A policy as it stands for one tool: the scope's action and resource are fixed by the choice of the tool, and what it asks about the
// resource is answered, because a tool's attributes are the same in every call. The engine then need not be told of the tool at all.
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { isObject, type JsonValue } from '../../json/value.ts'
import { nameMap } from '../../schema/normal.ts'
import type { Policy } from './policy.ts'
import type { ToolView } from './tool-view.ts'

/** Only for a policy that concerns the tool. */
export function specialize({ form }: Policy, view: ToolView): PolicyJson {
  const conditions = form.conditions.map(({ kind, body }) => ({
    kind,
    body: specialized(body as unknown as JsonValue, view.attributes),
  }))
  const { effect, principal } = form
  const anything = { op: 'All' } as const
  return { effect, principal, action: anything, resource: anything, conditions } as unknown as PolicyJson
}

type Attributes = ToolView['attributes']

function specialized(node: JsonValue, attributes: Attributes): JsonValue {
  if (Array.isArray(node)) return node.map((each: JsonValue) => specialized(each, attributes))
  if (!isObject(node)) return node
  // Literals are data: what looks like an operator in them is none.
  if (Object.hasOwn(node, 'Value')) return node
  const answer = answerOf(node, attributes)
  if (answer !== undefined) return answer
  const answered = nameMap<JsonValue>()
  for (const [name, member] of Object.entries(node)) answered[name] = specialized(member, attributes)
  return answered
}

function answerOf(node: JsonValue, attributes: Attributes): JsonValue | undefined {
  if (!isObject(node) || Object.keys(node).length !== 1) return undefined
  const { '.': read, has: test } = node
  if (isObject(read) && isResource(read.left) && typeof read.attr === 'string') {
    const value = Object.hasOwn(attributes, read.attr) ? attributes[read.attr] : undefined
    if (value === undefined) return undefined
    return typeof value === 'string' ? { Value: value } : { Set: value.map((element) => ({ Value: element })) }
  }
  if (isObject(test) && isResource(test.left) && typeof test.attr === 'string') {
    return { Value: Object.hasOwn(attributes, test.attr) }
  }
  return undefined
}

function isResource(node: JsonValue | undefined): boolean {
  return isObject(node) && node.Var === 'resource'
}
