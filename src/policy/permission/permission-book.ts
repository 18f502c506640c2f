// All permission rules of a Proviso, prepared per tool: what follows from the contract is found once, what depends on the caller and
// the arguments is judged per call. A condition that cannot be judged denies, also in a rule that would allow.

import type { Principal } from '../../contract/call/call.ts'
import { Fault } from '../../contract/fault.ts'
import type { RuleContext } from '../../contract/tool/rule.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import { compileRules } from '../rules/compile-rules.ts'
import { judgeRules } from '../rules/judge-rules.ts'
import type { CompiledRule } from '../rules/rule.ts'
import type { Voice } from '../voices.ts'
import { type PermissionRule, type PermissionSource, type Permissions, permissionSources } from './permission-rule.ts'
import { readPermissions } from './read-permissions.ts'

export interface PermissionBook {
  /** Whether there is any rule. */
  readonly speaks: boolean
  /** What of the rules cannot be judged for a tool: conditions that do not compile against its arguments. */
  faultsFor(tool: Tool): readonly PermissionFault[]
  hear(tool: Tool, asking: PermissionAsking): readonly Voice[]
}

export interface PermissionFault {
  readonly rule: string
  /** JSON Pointer into the rules. */
  readonly pointer: string
  readonly reason: string
}

export interface PermissionAsking {
  readonly principal: Principal
  readonly tenant: string
  /** Arguments that the tool's input schema has accepted. */
  readonly arguments: JsonObject
  readonly context: RuleContext
}

interface Entry {
  readonly source: PermissionSource
  readonly rule: PermissionRule
  readonly expiresAt: EpochMs | undefined
  readonly pointer: string
}

interface Prepared extends Entry {
  /** Undefined where the rule has no condition. */
  readonly condition: readonly CompiledRule[] | undefined
  readonly fault: PermissionFault | undefined
}

const none: readonly Voice[] = []

export function createPermissionBook(permissions: Permissions): PermissionBook {
  const entries = permissionSources.flatMap((source) =>
    (permissions[source] ?? []).map(
      (rule, index): Entry => ({ source, rule, expiresAt: expiryOf(rule), pointer: `/${source}/${index}` }),
    ),
  )
  const known = new WeakMap<Tool, readonly Prepared[]>()
  const preparedFor = (tool: Tool): readonly Prepared[] => {
    const found = known.get(tool) ?? prepare(entries, tool)
    known.set(tool, found)
    return found
  }
  return {
    speaks: entries.length > 0,
    faultsFor: (tool) => preparedFor(tool).flatMap(({ fault }) => fault ?? []),
    hear(tool, asking) {
      if (entries.length === 0) return none
      return preparedFor(tool).flatMap((prepared) => voiceOf(prepared, asking) ?? none)
    },
  }
}

const expiryOf = ({ expires }: PermissionRule) => (expires === undefined ? undefined : (Date.parse(expires) as EpochMs))

function prepare(entries: readonly Entry[], tool: Tool): readonly Prepared[] {
  return entries
    .filter(({ rule }) => speaksOf(rule, tool))
    .map((entry): Prepared => {
      const { rule, source } = entry
      if (rule.when === undefined) return { ...entry, condition: undefined, fault: undefined }
      const compilation = compileRules([{ id: rule.id, when: rule.when, message: rule.id }], { input: tool.input.form })
      if (compilation.ok) return { ...entry, condition: compilation.rules, fault: undefined }
      const reason = compilation.faults.map((fault) => fault.reason).join(' ')
      const name = `permission/${source}/${rule.id}`
      return { ...entry, condition: [], fault: { rule: name, pointer: entry.pointer, reason } }
    })
}

function speaksOf({ tools, namespaces, effects }: PermissionRule, { contract }: Tool): boolean {
  const { name } = contract.identity
  return (
    (tools?.some((wanted) => fitsName(wanted, name)) ?? true) &&
    (namespaces?.includes(name.slice(0, Math.max(0, name.lastIndexOf('.')))) ?? true) &&
    (effects?.includes(contract.transactional.side_effect_class) ?? true)
  )
}

const fitsName = (wanted: string, name: string) =>
  wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : wanted === name

function voiceOf(prepared: Prepared, asking: PermissionAsking): Voice | undefined {
  const { rule, expiresAt, condition, fault } = prepared
  if (expiresAt !== undefined && asking.context.now >= expiresAt) return undefined
  if (!fitsCaller(rule, asking)) return undefined
  if (condition === undefined) return spoken(prepared)
  if (fault !== undefined) return unjudged(prepared)
  const { kind } = judgeRules(condition, { args: asking.arguments, context: asking.context })
  if (kind === 'error') return unjudged(prepared)
  return kind === 'pass' ? spoken(prepared) : undefined
}

function fitsCaller({ tenants, users, agents, roles, scopes }: PermissionRule, asking: PermissionAsking): boolean {
  const { principal, tenant } = asking
  return (
    (tenants?.includes(tenant) ?? true) &&
    (users === undefined || (principal.user !== undefined && users.includes(principal.user))) &&
    (agents === undefined || (principal.agent !== undefined && agents.includes(principal.agent))) &&
    (roles?.some((role) => principal.roles.includes(role)) ?? true) &&
    (scopes?.some((scope) => principal.scopes.includes(scope)) ?? true)
  )
}

function spoken({ source, rule }: Prepared): Voice {
  const { id, says, message = `The rule ${id} says ${says}.`, expires, approval } = rule
  return {
    source: `permission/${source}`,
    rule: id,
    says,
    message,
    ...(expires === undefined ? {} : { expires }),
    ...approval,
  }
}

const unjudged = ({ source, rule }: Prepared): Voice => ({
  source: `permission/${source}`,
  rule: rule.id,
  says: 'deny',
  message: 'This rule could not be judged, so the call is refused.',
})

const silent = createPermissionBook({})

export function readPermissionBook(given: Permissions | undefined): PermissionBook {
  if (given === undefined) return silent
  const reading = readPermissions(given)
  if (reading.ok) return createPermissionBook(reading.permissions)
  const details = reading.problems.map(({ pointer, message }) => `permissions${pointer}: ${message}`)
  throw new Fault('bad_options', details.join(' '), { details })
}

/** Throws where a condition cannot be judged for this tool: its calls would all be denied. */
export function refuseUnfit(tool: Tool, permissions: PermissionBook): void {
  if (!permissions.speaks) return
  const details = permissions.faultsFor(tool).map(({ rule, reason }) => `${rule}: ${reason}`)
  if (details.length === 0) return
  const { name } = tool.contract.identity
  throw new Fault('registration_refused', `Tool ${name} is refused. ${details.join(' ')}`, { details })
}
