// Reads permission rules that may come from a file or from untyped code. Closed: a matcher that is misspelt would let a rule
// speak about everything, so what is not known is refused.
import { patternNames } from '../../contract/approval/approval-pattern.ts'
import { choice, closed, count, text, texts } from '../../contract/closed-schema.ts'
import { effects } from '../../contract/effects.ts'
import { Fault } from '../../contract/fault.ts'
import { compileSchema, type Problem } from '../../contract/tool/compile-tool.ts'
import type { CompiledSchema } from '../../contract/tool/tool.ts'
import { copyParsed } from '../../json/copy.ts'
import { appendPointer } from '../../json/pointer.ts'
import type { JsonObject } from '../../json/value.ts'
import { type PermissionRule, type Permissions, permissionSources } from './permission-rule.ts'

const some = (schema: JsonObject): JsonObject => ({ ...schema, minItems: 1 })

const ruleSchema = closed(
  'A permission rule.',
  {
    id: { ...text('Names the rule.'), minLength: 1, maxLength: 256 },
    says: choice('What the rule says.', ['allow', 'ask', 'deny', 'passthrough']),
    message: text('One sentence.'),
    tools: some(texts('Names of tools; a star at the end stands for any ending.')),
    namespaces: some(texts('What stands before the last dot of a name.')),
    effects: { type: 'array', minItems: 1, items: choice('An effect class.', Object.keys(effects)) },
    tenants: some(texts('Any of these.')),
    users: some(texts('Any of these.')),
    agents: some(texts('Any of these.')),
    roles: some(texts('Any of these.')),
    scopes: some(texts('Any of these.')),
    when: text('A CEL expression over args and context.'),
    expires: { ...text('From then on the rule no longer speaks.'), format: 'date-time' },
    approval: closed(
      'Who has to approve, where the rule asks.',
      {
        pattern: choice('How people decide.', patternNames),
        roles: some(texts('Who may approve.')),
        quorum: count('How many people.', 1),
      },
      [],
    ),
  },
  ['id', 'says'],
)

const permissionsSchema: JsonObject = closed(
  'Permission rules, by who wrote them.',
  Object.fromEntries(permissionSources.map((source) => [source, { type: 'array', items: ruleSchema }])),
  [],
)

let compiled: CompiledSchema | undefined

export type PermissionReading =
  | { readonly ok: true; readonly permissions: Permissions }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function readPermissions(given: unknown): PermissionReading {
  const copy = copyParsed(given, { maxBytes: 8 * 1_048_576, maxDepth: 16, maxValues: 500_000 })
  if (!copy.ok) return { ok: false, problems: [{ pointer: copy.refusal.pointer, message: copy.refusal.message }] }
  compiled ??= compileOwn()
  if (!compiled.matches(copy.value)) {
    return {
      ok: false,
      problems: compiled
        .explain(copy.value, [])
        .map(({ pointer, message, expected }) => ({ pointer, message: `${message} Expected: ${expected}.` })),
    }
  }
  // The schema says what the type says.
  const permissions = copy.value as unknown as Permissions
  const problems = permissionSources.flatMap((source) => findRepeated(source, permissions[source] ?? []))
  return problems.length > 0 ? { ok: false, problems } : { ok: true, permissions }
}

function findRepeated(source: string, rules: readonly PermissionRule[]): readonly Problem[] {
  const ids = new Set<string>()
  return rules.flatMap(({ id, approval, says }, index) => {
    const at = appendPointer(`/${source}`, index)
    const taken = ids.has(id)
    ids.add(id)
    return [
      ...(taken ? [{ pointer: `${at}/id`, message: `Two rules are called ${id}.` }] : []),
      ...(approval !== undefined && says !== 'ask'
        ? [{ pointer: `${at}/approval`, message: 'Only a rule that asks says who approves.' }]
        : []),
    ]
  })
}

function compileOwn(): CompiledSchema {
  const compilation = compileSchema(permissionsSchema, '')
  if (!compilation.ok) throw new Fault('internal', 'The schema of permission rules is broken.')
  return compilation.schema
}
