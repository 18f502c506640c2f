// The Cedar schema of tools: principals User and Agent in Roles, a Tool as resource, and one action per tool whose context carries the
// tool's own arguments, typed. An argument that a policy sees only in part says so in a @doc annotation.
import type { NamespaceDefinition, SchemaJson, Type, TypeOfAttribute } from '@cedar-policy/cedar-wasm/nodejs'
import { effects } from '../../contract/effects.ts'
import { nameMap } from '../../schema/normal.ts'
import type { Plan, RecordPlan } from './argument-plan.ts'
import type { Engine } from './engine.ts'
import { type PolicyTool, type ToolView, viewTool } from './tool-view.ts'

type AttributeType = TypeOfAttribute<string> & { readonly annotations?: { readonly doc: string } }

const text: Type<string> = { type: 'String' }
const texts: Type<string> = { type: 'Set', element: text }

/** Of User and Agent alike. A call that names no user is its agent's own; an agent without a name is Agent::"". */
const principalAttributes: Readonly<Record<string, AttributeType>> = {
  tenant: text,
  roles: texts,
  scopes: texts,
  user: { ...text, required: false },
  agent: { ...text, required: false },
}

const userDoc = 'A user of that name in any tenant: where there are several, test principal.tenant as well.'

const toolAttributes: Readonly<Record<string, AttributeType>> = {
  name: text,
  namespace: documented(text, 'What stands before the last dot of the name; empty where there is none.'),
  version: text,
  owner: text,
  effect: text,
  data_classification: text,
  egress_policy: text,
  egress_domains: texts,
  residency: { ...text, required: false },
}

/** What of a context is not the tool's own arguments. */
const callAttributes: Readonly<Record<string, AttributeType>> = {
  labels: documented(texts, 'What the data of this run has been marked with.'),
  run: { ...text, required: false },
  workflow: { ...text, required: false },
  now: { type: 'Extension', name: 'datetime' },
  unseen: documented(texts, 'JSON Pointers of arguments that no schema declares: in the call, but not in args.'),
}

/** What a schema is cut down to. */
export interface SchemaCut {
  readonly plan: RecordPlan
  keeps(attribute: string): boolean
  /** Whether roles, and the groups of actions, are spoken of. */
  readonly roles: boolean
  readonly groups: boolean
}

const uncut = { keeps: () => true, roles: true, groups: true } as const

/** The schema of all the tools; further actions may be declared that nothing can call. */
export function cedarSchema(views: readonly ToolView[], uncalled: Iterable<string> = []): SchemaJson<string> {
  const actions = nameMap<NamespaceDefinition<string>['actions'][string]>()
  for (const name of uncalled) actions[name] = {}
  actions['effect:any'] = {}
  actions['effect:mutating'] = { memberOf: [{ id: 'effect:any' }] }
  for (const [effect, { mutates }] of Object.entries(effects)) {
    actions[`effect:${effect}`] = { memberOf: [{ id: mutates ? 'effect:mutating' : 'effect:any' }] }
  }
  for (const view of views) actions[view.name] = actionOf(view, { plan: view.plan, ...uncut })
  return namespaceOf(uncut, actions)
}

/** The schema of one call as the engine needs it: the groups of the action by name, and only what is read. */
export function callSchema(view: ToolView, cut: SchemaCut): SchemaJson<string> {
  const actions = nameMap<NamespaceDefinition<string>['actions'][string]>()
  for (const [index, name] of (cut.groups ? view.groups : []).entries()) {
    const next = view.groups[index + 1]
    actions[name] = next === undefined ? {} : { memberOf: [{ id: next }] }
  }
  actions[view.name] = actionOf(view, cut)
  return namespaceOf(cut, actions)
}

/** The schema as text, for editors and for those who write policies. Undefined where the engine cannot print it. */
export function schemaText(engine: Engine, tools: readonly PolicyTool[]): string | undefined {
  const schema = cedarSchema(tools.map(viewTool))
  const asked = engine.ask((cedar) => cedar.schemaToText(schema))
  return asked.ok && asked.value.type === 'success' ? asked.value.text.replaceAll('__cedar::', '') : undefined
}

function namespaceOf(
  { keeps, roles }: Omit<SchemaCut, 'plan'>,
  actions: NamespaceDefinition<string>['actions'],
): SchemaJson<string> {
  const memberOfTypes = roles ? ['Role'] : []
  const principal = { memberOfTypes, shape: recordOf(pick(principalAttributes, keeps)) }
  const tool = { shape: recordOf(pick(toolAttributes, keeps)) }
  const role = roles ? { Role: {} } : {}
  const user = { ...principal, annotations: { doc: userDoc } }
  return { '': { entityTypes: { ...role, User: user, Agent: principal, Tool: tool }, actions } }
}

function actionOf(view: ToolView, { plan, keeps, groups }: SchemaCut): NamespaceDefinition<string>['actions'][string] {
  const own: Record<string, AttributeType> = keeps('args') ? { args: documented(cedarType(plan), docOf(plan)) } : {}
  return {
    memberOf: view.groups.slice(0, groups ? 1 : 0).map((id) => ({ id })),
    appliesTo: {
      principalTypes: ['User', 'Agent'],
      resourceTypes: ['Tool'],
      context: recordOf({ ...own, ...pick(callAttributes, keeps) }),
    },
  }
}

function cedarType(plan: Plan): Type<string> {
  switch (plan.kind) {
    case 'string':
    case 'text':
      return text
    case 'boolean':
      return { type: 'Boolean' }
    case 'long':
      return { type: 'Long' }
    case 'decimal':
      return { type: 'Extension', name: 'decimal' }
    case 'set':
      return { type: 'Set', element: cedarType(plan.element) }
    case 'record': {
      const attributes = nameMap<AttributeType>()
      for (const [name, { plan: inner, required }] of plan.attributes) {
        attributes[name] = { ...documented(cedarType(inner), docOf(inner)), required }
      }
      return recordOf(attributes)
    }
  }
}

function docOf(plan: Plan): string | undefined {
  switch (plan.kind) {
    case 'text':
      return `As canonical JSON text: ${plan.why}.`
    case 'decimal':
      return 'A call whose number has more than 15 digits before the point or 4 after it is denied.'
    case 'set':
      return 'Order and repetition are not seen.'
    case 'record':
      return plan.open ? 'Other keys may be there; context.unseen names them.' : undefined
    default:
      return undefined
  }
}

function documented(type: Type<string>, doc: string | undefined): AttributeType {
  return doc === undefined ? type : { ...type, annotations: { doc } }
}

function recordOf(attributes: Record<string, AttributeType>): Type<string> {
  return { type: 'Record', attributes }
}

function pick(
  attributes: Readonly<Record<string, AttributeType>>,
  keeps: (attribute: string) => boolean,
): Record<string, AttributeType> {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => keeps(name)))
}
