// What is wrong with policies before any call: validated strictly against each tool they can speak about, and named where they can speak
// about none. What would deny every call of a tool is an error; what would never be heard is a warning.
import { effects } from '../../contract/effects.ts'
import { nearestNames } from '../../json/nearest.ts'
import type { EntityName } from './mentions.ts'
import type { Policies, Policy, PolicyProblem } from './policy.ts'
import { type PolicyTool, type ToolView, viewTool } from './tool-view.ts'
import { canSpeakAbout, type PolicyFinding, type SliceValidation, validateSlice } from './validate-slice.ts'

export function checkPolicies(policies: Policies, tools: readonly PolicyTool[]): readonly PolicyProblem[] {
  const views = tools.map(viewTool)
  const problems = new Map<string, PolicyProblem>()
  const heard = new Set<Policy>()
  for (const view of views) {
    const slice = policies.policies.filter((policy) => canSpeakAbout(policy, view))
    if (slice.length === 0) continue
    const validation = validateSlice(policies, slice, [view])
    if (typeof validation === 'string') return [unchecked(slice, validation)]
    const failing = new Set(validation.errors.map(({ policy }) => policy))
    for (const policy of slice) if (failing.has(policy) || !validation.impossible.has(policy.id)) heard.add(policy)
    collect(problems, validation, ` (calling ${view.name})`)
  }
  const isKnown = knownNames(views)
  const unheard = policies.policies.filter((policy) => !heard.has(policy))
  // Types that do not exist and the like are wrong for every tool.
  const validation = validateSlice(policies, unheard, views.slice(0, 1))
  if (typeof validation === 'string') return [unchecked(unheard, validation)]
  collect(problems, validation, '')
  for (const policy of unheard)
    note(problems, 'warning', { policy, place: policy.place, message: unheardBecause(policy, views.length, isKnown) })
  const names = views.flatMap(({ name, groups: own }) => [name, ...own])
  for (const policy of policies.policies) {
    for (const entity of policy.mentions.entities)
      if (!isKnown(entity)) noteUnknown(problems, policy, { entity, names })
  }
  const order = new Map(policies.policies.map(({ id }, index) => [id, index]))
  const rank = ({ policy = '' }: PolicyProblem) => order.get(policy) ?? 0
  return [...problems.values()].sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column)
}

type Problems = Map<string, PolicyProblem>

function collect(problems: Problems, { errors, warnings }: SliceValidation, where: string): void {
  for (const finding of errors) note(problems, 'error', finding, where)
  for (const finding of warnings) note(problems, 'warning', finding)
}

/** The same finding for many tools is one problem, told of the first. */
function note(problems: Problems, level: PolicyProblem['level'], finding: PolicyFinding, where = ''): void {
  const { policy, place, message } = finding
  const key = JSON.stringify([policy.id, place.line, place.column, message])
  if (problems.has(key)) return
  problems.set(key, { level, policy: policy.id, ...place, message: message.replace(/\.$/, `${where}.`) })
}

type IsKnown = (entity: EntityName) => boolean

function unheardBecause({ mentions }: Policy, toolCount: number, isKnown: IsKnown): string {
  if (toolCount === 0) return 'There are no tools that this policy could speak about.'
  return mentions.entities.every(isKnown)
    ? 'This policy can never apply: it is false for every call of every tool.'
    : 'This policy can never apply: it is about tools that are not here.'
}

function noteUnknown(
  problems: Problems,
  policy: Policy,
  { entity, names }: { readonly entity: EntityName; readonly names: readonly string[] },
): void {
  const [nearest] = nearestNames(entity.id, names, 1)
  const hint = nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
  const message = `${entity.type}::${JSON.stringify(entity.id)} is no tool that is here.${hint}`
  note(problems, 'warning', { policy, place: policy.place, message })
}

/** Groups are known whether or not a tool is in them. */
function knownNames(views: readonly ToolView[]): IsKnown {
  const tools = new Set(views.map(({ name }) => name))
  return ({ type, id }) => {
    if (type === 'Tool') return tools.has(id)
    return type !== 'Action' || tools.has(id) || groups.has(id)
  }
}

const groups: ReadonlySet<string> = new Set([
  'effect:any',
  'effect:mutating',
  ...Object.keys(effects).map((name) => `effect:${name}`),
])

function unchecked([first]: readonly Policy[], message: string): PolicyProblem {
  const { source = '', line = 1, column = 1 } = first?.place ?? {}
  return { level: 'error', policy: undefined, source, line, column, message: `Cedar cannot validate: ${message}.` }
}
