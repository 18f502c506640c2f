// The policies that can speak about a tool, and whether they fit it: Cedar's strict validation against the tool's own schema. A policy
// that fits can neither fail on a missing attribute nor compare what is never equal.
import type { ValidationError } from '@cedar-policy/cedar-wasm/nodejs'
import { nameMap } from '../../schema/normal.ts'
import { cedarSchema } from './cedar-schema.ts'
import type { EntityName } from './mentions.ts'
import { type Policies, type Policy, type PolicyPlace, placeWithin } from './policy.ts'
import type { ToolView } from './tool-view.ts'

export interface PolicyFinding {
  readonly policy: Policy
  readonly place: PolicyPlace
  readonly message: string
}

export interface SliceValidation {
  readonly errors: readonly PolicyFinding[]
  readonly warnings: readonly PolicyFinding[]
  /** Ids of policies that are false for every call of this tool. */
  readonly impossible: ReadonlySet<string>
}

/** Whether the scope of a policy leaves room for calls of the tool. A scope cannot fail, so leaving the others out changes nothing. */
export function canSpeakAbout({ form }: Policy, view: ToolView): boolean {
  const { action, resource } = form
  if (action.op === '==' && 'entity' in action && !isAction(action.entity, [view.name])) return false
  if (action.op === 'in') {
    const named = 'entities' in action ? action.entities : [action.entity]
    if (!named.some((entity) => isAction(entity, [view.name, ...view.groups]))) return false
  }
  // A tool has no parents: to be in another entity is to be that entity.
  if ((resource.op === '==' || resource.op === 'in') && 'entity' in resource) return isTool(resource.entity, view.name)
  if (resource.op !== 'is') return true
  const within = resource.in
  return (
    resource.entity_type === 'Tool' &&
    (within === undefined || !('entity' in within) || isTool(within.entity, view.name))
  )
}

type Reference = EntityName | { readonly __entity: EntityName }

function isAction(reference: Reference, ids: readonly string[]): boolean {
  const { type, id } = entityName(reference)
  return type === 'Action' && ids.includes(id)
}

function isTool(reference: Reference, name: string): boolean {
  const { type, id } = entityName(reference)
  return type === 'Tool' && id === name
}

function entityName(reference: Reference): EntityName {
  return '__entity' in reference ? reference.__entity : reference
}

/** Validates some of the policies against the schema of some tools. A string where the engine cannot even try. */
export function validateSlice(
  { engine }: Policies,
  slice: readonly Policy[],
  views: readonly ToolView[],
): SliceValidation | string {
  const byId = new Map(slice.map((policy) => [policy.id, policy]))
  const actions = slice.flatMap(({ mentions }) => mentions.entities).filter(({ type }) => type === 'Action')
  const schema = cedarSchema(views, new Set(actions.map(({ id }) => id)))
  const staticPolicies = nameMap<string>()
  for (const { id, text } of slice) staticPolicies[id] = text
  const validation = engine.ask((cedar) =>
    cedar.validate({ validationSettings: { mode: 'strict' }, schema, policies: { staticPolicies } }),
  )
  if (!validation.ok) return validation.message
  const answer = validation.value
  if (answer.type === 'failure') return answer.errors.map(({ message }) => message).join('; ')
  const found = (errors: readonly ValidationError[]) => errors.flatMap((error) => findingOf(byId, error))
  const never = answer.validationWarnings.filter(({ error }) => neverTrue.test(error.message))
  return {
    errors: found(answer.validationErrors),
    warnings: found(answer.validationWarnings.filter((warning) => !never.includes(warning))),
    impossible: new Set(never.map(({ policyId }) => policyId)),
  }
}

const neverTrue = /policy is impossible|unable to find an applicable action/

function findingOf(byId: ReadonlyMap<string, Policy>, { policyId, error }: ValidationError): readonly PolicyFinding[] {
  const policy = byId.get(policyId)
  if (policy === undefined) return []
  const place = placeWithin(policy.place, policy.text, error.sourceLocations?.[0]?.start ?? 0)
  const sentence = error.help === null ? error.message : `${error.message}: ${error.help}`
  return [{ policy, place, message: `${sentence.replaceAll(`for policy \`${policyId}\`, `, '')}.` }]
}
