// Everything about a tool and a set of policies that does not depend on the call, done at the first call: the policies that can speak,
// their validation, the schema cut down to what they read, the encoder. All of it lives in one instance of the engine.
import type { CheckParseAnswer, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { boundedCache } from '../../json/bounded-cache.ts'
import { hashFields, hashJson } from '../../json/hash.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { nameMap } from '../../schema/normal.ts'
import type { Plan, RecordPlan } from './argument-plan.ts'
import { callSchema, cedarSchema } from './cedar-schema.ts'
import { compileEncoder, type Encoding } from './encode-arguments.ts'
import type { CedarModule, EngineAnswer } from './engine.ts'
import { isMentioned, joinMentions, type Mentions, mentionsOf } from './mentions.ts'
import type { Policies, Policy } from './policy.ts'
import { type PolicyTool, type ToolView, viewTool } from './tool-view.ts'
import { canSpeakAbout, validateSlice } from './validate-slice.ts'

export type Prepared =
  | { readonly kind: 'silent'; readonly version: string }
  | {
      readonly kind: 'misfit'
      readonly version: string
      readonly message: string
      readonly policies: readonly Policy[]
    }
  | {
      readonly kind: 'ready'
      readonly version: string
      readonly view: ToolView
      readonly groups: readonly PolicyGroup[]
    }

/**
 * Policies that are asked together. Those that read nothing of the arguments are asked apart from the others: what they say about a
 * caller is the same from call to call, and is remembered.
 */
export interface PolicyGroup {
  readonly policies: readonly Policy[]
  /** Names under which the engine keeps them. */
  readonly schemaName: string
  readonly setName: string
  /** Whether some policy reads the attribute. */
  reads(attribute: string): boolean
  readonly readsRoles: boolean
  encode(args: JsonObject): Encoding
  /** What they say is a function of the request. */
  readonly remembered: (request: string, ask: () => GroupOpinion) => GroupOpinion
}

/** Those that hold, without permits where a forbid holds as well; or those that could not be judged. */
export type GroupOpinion =
  | { readonly ok: true; readonly holding: readonly Policy[] }
  | { readonly ok: false; readonly message: string; readonly failed: readonly Policy[] }

/** What one instance of the engine has been given. */
interface Instance {
  readonly generation: number
  readonly tools: WeakMap<PolicyTool, Prepared>
  /** Tools that the same policies concern share one set of them. */
  readonly names: Map<string, string>
}

const instances = new WeakMap<Policies, Instance>()
const rememberedOpinions = 256
/** What differs from call to call even for the same caller. */
const fleeting = ['args', 'now', 'unseen']

export function prepareTool(policies: Policies, tool: PolicyTool): Prepared {
  const known = instances.get(policies)
  if (known?.generation === policies.engine.generation()) {
    const prepared = known.tools.get(tool)
    if (prepared !== undefined) return prepared
  }
  const prepared = prepare(policies, viewTool(tool))
  instanceOf(policies).tools.set(tool, prepared)
  return prepared
}

/** Asked for anew after every question: one that traps leaves nothing of what was prepared. */
function instanceOf(policies: Policies): Instance {
  const known = instances.get(policies)
  const generation = policies.engine.generation()
  if (known?.generation === generation) return known
  const instance: Instance = { generation, tools: new WeakMap(), names: new Map() }
  instances.set(policies, instance)
  return instance
}

function prepare(policies: Policies, view: ToolView): Prepared {
  const whole = cedarSchema([view])
  const version = hashFields('cedar-decision', [policies.version, hashJson(whole as unknown as JsonValue)])
  const slice = policies.policies.filter((policy) => canSpeakAbout(policy, view))
  if (slice.length === 0) return { kind: 'silent', version }
  const validation = validateSlice(policies, slice, [view])
  if (typeof validation === 'string') return broken(version, validation, slice)
  const [first] = validation.errors
  if (first !== undefined) {
    const misfits = new Set(validation.errors.map(({ policy }) => policy))
    return broken(version, first.message, [...misfits])
  }
  const possible = slice.filter(({ id }) => !validation.impossible.has(id))
  if (possible.length === 0) return { kind: 'silent', version }
  const generation = policies.engine.generation()
  const groups: PolicyGroup[] = []
  for (const members of split(policies, possible)) {
    const group = prepareGroup(policies, view, members)
    if (!group.ok) return broken(version, group.message, members)
    groups.push(group.value)
  }
  if (generation !== policies.engine.generation()) return broken(version, 'the engine was lost', possible)
  return { kind: 'ready', version, view, groups }
}

/** Where an ask needs a permit beside it, permits are asked apart: the engine does not report them beside a forbid that holds. */
function split({ unlessPermitted }: Policies, slice: readonly Policy[]): Iterable<readonly Policy[]> {
  const apart = unlessPermitted === 'deny' && slice.some(({ ask }) => ask !== undefined)
  const isFleeting = ({ mentions }: Policy) => fleeting.some((name) => isMentioned(name, mentions))
  return Map.groupBy(slice, (policy) => `${isFleeting(policy)} ${apart ? policy.effect : ''}`).values()
}

function prepareGroup(policies: Policies, view: ToolView, members: readonly Policy[]): EngineAnswer<PolicyGroup> {
  const forms = nameMap<PolicyJson>()
  for (const policy of members) forms[policy.id] = specialize(policy, view)
  const mentions = joinMentions(Object.values(forms).map((form) => mentionsOf(form as unknown as JsonValue)))
  const names = new Set(mentions.entities.map(({ type }) => type))
  const reads = (attribute: string) => isMentioned(attribute, mentions)
  const plan = mentions.everything || mentions.whole.has('args') ? view.plan : cutRecord(view.plan, mentions)
  const readsRoles = names.has('Role')
  const schema = callSchema(view, { plan, keeps: reads, roles: readsRoles, groups: names.has('Action') })
  const schemaName = keep(policies, schema, (cedar, name) => cedar.preparseSchema(name, schema))
  if (!schemaName.ok) return schemaName
  const setName = keep(policies, forms, (cedar, name) => cedar.preparsePolicySet(name, { staticPolicies: forms }))
  if (!setName.ok) return setName
  const group: PolicyGroup = {
    policies: members,
    schemaName: schemaName.value,
    setName: setName.value,
    reads,
    readsRoles,
    encode: compileEncoder(plan),
    remembered: boundedCache<GroupOpinion>(rememberedOpinions),
  }
  return { ok: true, value: group }
}

/** Gives something to the engine under a name, once. */
function keep(
  policies: Policies,
  what: object,
  give: (cedar: CedarModule, name: string) => CheckParseAnswer,
): EngineAnswer<string> {
  const key = hashJson(what as JsonValue)
  const { names } = instanceOf(policies)
  const known = names.get(key)
  if (known !== undefined) return { ok: true, value: known }
  const name = `n${names.size}`
  const asked = policies.engine.ask((cedar) => give(cedar, name))
  if (!asked.ok) return asked
  if (asked.value.type === 'failure') {
    return { ok: false, message: asked.value.errors.map(({ message }) => message).join('; ') }
  }
  names.set(key, name)
  return { ok: true, value: name }
}

/** The plan without what no policy reads; what is read as a whole stays whole. */
function cutRecord(plan: RecordPlan, mentions: Mentions): RecordPlan {
  const attributes = [...plan.attributes].flatMap(([name, attribute]) => {
    if (mentions.whole.has(name)) return [[name, attribute] as const]
    return mentions.through.has(name) ? [[name, { ...attribute, plan: cut(attribute.plan, mentions) }] as const] : []
  })
  return { ...plan, attributes: new Map(attributes) }
}

function cut(plan: Plan, mentions: Mentions): Plan {
  return plan.kind === 'record' ? cutRecord(plan, mentions) : plan
}

function broken(version: string, message: string, policies: readonly Policy[]): Prepared {
  return { kind: 'misfit', version, message, policies }
}

/**
 * A policy that concerns the tool, as it stands for this tool alone: the scope's action and resource are fixed by the choice of the tool, and
 * what it asks about the resource is answered, because a tool's attributes are the same in every call. So the engine need not be told of the
 * tool.
 */
function specialize({ form }: Policy, view: ToolView): PolicyJson {
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
