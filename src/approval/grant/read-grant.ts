// The grant as it is written and stored: snake_case, closed at every level. Reading never guesses: what is missing, unknown or open
// is named with its pointer. Invariant: a grant that was read ends, within ninety days, and is counted.
import { canonicalize } from '../../json/canonical.ts'
import { type EpochMs, epochMs, toIso } from '../../json/clock.ts'
import { appendPointer, isPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { FieldRule, Grant, GrantProblem } from './grant.ts'

export type GrantReading =
  | { readonly ok: true; readonly grant: Grant }
  | { readonly ok: false; readonly problems: readonly GrantProblem[] }

const longestGrantMs = 90 * 86_400_000
const maxFields = 200
const maxValues = 1_000
const maxText = 512
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/

/** `now` judges the expiry of a new grant; a stored one is read without it. */
export function readGrant(value: JsonValue, now?: EpochMs): GrantReading {
  const problems: GrantProblem[] = []
  const fail = (pointer: string, message: string): undefined => {
    problems.push({ pointer, message })
    return undefined
  }
  const root = objectAt(value, '', rootKeys, fail)
  const principal = objectAt(root.principal, '/principal', ['user', 'agent'], fail)
  const limits = objectAt(root.limits, '/limits', ['count', 'total_amount', 'expires_at'], fail)
  const hash = root.contract_hash
  const untrusted = root.untrusted_runs ?? false
  const read = {
    tenant: textAt(root.tenant, '/tenant', fail),
    tool: textAt(root.tool, '/tool', fail),
    contractHash:
      typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)
        ? hash
        : fail('/contract_hash', 'It is the SHA-256 of the contract, 64 hex digits.'),
    user: textAt(principal.user, '/principal/user', fail),
    agent: (principal.agent ?? null) === null ? undefined : textAt(principal.agent, '/principal/agent', fail),
    fields: fieldsAt(root.fields, fail),
    amount: root.amount === undefined ? undefined : amountAt(root.amount, fail),
    count: countAt(limits.count, fail),
    totalAmount: limits.total_amount === undefined ? undefined : totalAt(limits.total_amount, fail),
    expiresAt: expiryAt(limits.expires_at, now, fail),
    untrustedRuns: typeof untrusted === 'boolean' ? untrusted : fail('/untrusted_runs', 'It is true or false.'),
  }
  const { tenant, tool, contractHash, user, count, expiresAt, untrustedRuns } = read
  if (tenant === undefined || tool === undefined || contractHash === undefined || user === undefined)
    return { ok: false, problems }
  if (count === undefined || expiresAt === undefined || untrustedRuns === undefined || problems.length > 0)
    return { ok: false, problems }
  const { agent, fields, amount, totalAmount } = read
  const bound = { tenant, tool, contractHash, user, agent, untrustedRuns }
  return { ok: true, grant: { ...bound, fields, amount, limits: { count, totalAmount, expiresAt } } }
}

export function writeGrant(grant: Grant): JsonObject {
  const { count, totalAmount, expiresAt } = grant.limits
  return {
    tenant: grant.tenant,
    tool: grant.tool,
    contract_hash: grant.contractHash,
    principal: { user: grant.user, agent: grant.agent ?? null },
    fields: Object.fromEntries([...grant.fields].map(([pointer, rule]) => [pointer, writeRule(rule)])),
    ...(grant.amount === undefined ? {} : { amount: grant.amount }),
    limits: {
      count,
      ...(totalAmount === undefined ? {} : { total_amount: totalAmount }),
      expires_at: toIso(expiresAt),
    },
    untrusted_runs: grant.untrustedRuns,
  }
}

const rootKeys = ['tenant', 'tool', 'contract_hash', 'principal', 'fields', 'amount', 'limits', 'untrusted_runs']

type Fail = (pointer: string, message: string) => undefined

function objectAt(value: JsonValue | undefined, pointer: string, keys: readonly string[], fail: Fail): JsonObject {
  if (!isObject(value)) {
    fail(pointer, `An object with ${keys.join(', ')} belongs here.`)
    return {}
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) fail(appendPointer(pointer, key), `There is no such member; known are ${keys.join(', ')}.`)
  }
  return value
}

function textAt(value: JsonValue | undefined, pointer: string, fail: Fail): string | undefined {
  if (typeof value === 'string' && value !== '' && value.length <= maxText) return value
  return fail(pointer, `A name of 1 to ${maxText} characters belongs here.`)
}

function amountAt(value: JsonValue, fail: Fail): string | undefined {
  if (typeof value === 'string' && value !== '' && isPointer(value)) return value
  return fail('/amount', 'It is the JSON Pointer of the argument that says how much, such as /amount.')
}

function countAt(value: JsonValue | undefined, fail: Fail): number | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  return fail('/limits/count', 'How many calls are granted: a whole number from 1.')
}

function totalAt(value: JsonValue, fail: Fail): number | undefined {
  if (typeof value === 'number' && value > 0) return value
  return fail('/limits/total_amount', 'How much may be moved in all: a number above 0.')
}

function expiryAt(value: JsonValue | undefined, now: EpochMs | undefined, fail: Fail): EpochMs | undefined {
  const pointer = '/limits/expires_at'
  const at = typeof value === 'string' && instant.test(value) ? Date.parse(value) : Number.NaN
  if (!Number.isFinite(at)) return fail(pointer, 'When the grant ends, such as 2026-06-13T15:40:00Z.')
  if (now !== undefined && at <= now) return fail(pointer, 'The grant would have ended already.')
  if (now !== undefined && at > now + longestGrantMs) return fail(pointer, 'A grant ends within 90 days.')
  return epochMs(at)
}

function fieldsAt(value: JsonValue | undefined, fail: Fail): ReadonlyMap<string, FieldRule> {
  const fields = new Map<string, FieldRule>()
  if (!isObject(value) || Object.keys(value).length > maxFields) {
    fail('/fields', `An object with a rule for every argument, at most ${maxFields}, belongs here.`)
    return fields
  }
  for (const [pointer, written] of Object.entries(value)) {
    const at = appendPointer('/fields', pointer)
    if (pointer === '' || !isPointer(pointer)) fail(at, 'A field is named by its JSON Pointer, such as /amount.')
    else {
      const rule = ruleOf(written)
      if (typeof rule === 'string') fail(at, rule)
      else fields.set(pointer, rule)
    }
  }
  for (const pointer of fields.keys()) {
    const above = [...fields.keys()].find((other) => pointer.startsWith(`${other}/`))
    if (above !== undefined) fail(appendPointer('/fields', pointer), `The rule for ${above} says it already.`)
  }
  return fields
}

const forms = 'Write one of {"const": …}, {"enum": […]}, {"min": …, "max": …}, {"any": true}, {"absent": true}.'

/** The rule, or what is wrong with it. */
function ruleOf(written: JsonValue): FieldRule | string {
  if (!isObject(written)) return forms
  switch (Object.keys(written).sort().join(' ')) {
    case 'const':
      return { kind: 'const', value: written.const as JsonValue }
    case 'enum':
      return enumOf(written.enum)
    case 'max min':
      return rangeOf(written)
    case 'any':
      return written.any === true ? { kind: 'any' } : forms
    case 'absent':
      return written.absent === true ? { kind: 'absent' } : forms
    default:
      return forms
  }
}

function enumOf(values: JsonValue | undefined): FieldRule | string {
  if (!Array.isArray(values) || values.length === 0 || values.length > maxValues)
    return `enum lists 1 to ${maxValues} values.`
  const list: readonly JsonValue[] = values
  return new Set(list.map(canonicalize)).size === list.length
    ? { kind: 'enum', values: list }
    : 'A value is listed twice.'
}

function rangeOf({ min, max }: JsonObject): FieldRule | string {
  if (typeof min !== 'number' || typeof max !== 'number') return 'min and max are numbers.'
  return min <= max ? { kind: 'range', min, max } : 'min is above max, so nothing would be granted.'
}

function writeRule(rule: FieldRule): JsonObject {
  switch (rule.kind) {
    case 'const':
      return { const: rule.value }
    case 'enum':
      return { enum: rule.values }
    case 'range':
      return { min: rule.min, max: rule.max }
    case 'any':
      return { any: true }
    case 'absent':
      return { absent: true }
  }
}
