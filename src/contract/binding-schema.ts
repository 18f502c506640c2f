// The binding as it stands in a tool file: the published JSON Schema, and the file form's type. Code is named by module and export.
import type { JsonObject } from '../json/value.ts'
import { type Dialect, dialects } from '../schema/normal.ts'
import { choice, closed, count, flag, text, texts } from './closed-schema.ts'
import type { ApprovalPattern } from './effects.ts'
import { contractSchema } from './envelope.ts'
import type { BindingChoices } from './fill-binding.ts'

export interface CodeRef {
  readonly module: string
  readonly export: string
}

export interface FileBinding {
  readonly executor: CodeRef & { readonly kind: 'fn'; readonly commits?: 'ledger' }
  readonly dialect?: Dialect
  readonly strict?: boolean
  readonly aliases?: readonly string[]
  readonly search_hint?: string
  readonly deferred?: boolean
  readonly roles?: readonly string[]
  readonly sensitive?: readonly string[]
  readonly operation?: 'call' | readonly string[]
  readonly resource?: string
  readonly locks?: readonly string[]
  readonly concurrent?: boolean
  readonly approval?: { readonly pattern?: ApprovalPattern; readonly quorum?: number; readonly ttl_seconds?: number }
  readonly consequence?: CodeRef
  readonly persistence?: { readonly max_inline_bytes?: number; readonly redact?: readonly string[] }
  readonly rules?: CodeRef
  readonly preflight?: CodeRef
  readonly state?: CodeRef
  readonly verifier?: CodeRef
  readonly recovery?: {
    readonly horizon_seconds?: number
    readonly provider_window_seconds?: number
    readonly expired?: 'reject' | 'rebuild'
  }
}

/** What a tool file chooses, without its code. */
export function fileChoices(file: FileBinding): BindingChoices {
  const { approval, persistence, recovery } = file
  const seconds = approval?.ttl_seconds
  return {
    dialect: file.dialect,
    strict: file.strict,
    aliases: file.aliases,
    searchHint: file.search_hint,
    deferred: file.deferred,
    roles: file.roles,
    sensitive: file.sensitive,
    operation: file.operation,
    resource: file.resource,
    locks: file.locks,
    concurrent: file.concurrent,
    approval: {
      pattern: approval?.pattern,
      quorum: approval?.quorum,
      ttlMs: seconds === undefined ? undefined : seconds * 1_000,
    },
    persistence: { maxInlineBytes: persistence?.max_inline_bytes, redact: persistence?.redact },
    recovery: {
      horizonMs: milliseconds(recovery?.horizon_seconds),
      providerWindowMs: milliseconds(recovery?.provider_window_seconds),
      expired: recovery?.expired,
    },
  }
}

const milliseconds = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)

const pointer: JsonObject = { type: 'string', pattern: '^(/[^/]*)+$' }
const pointers = (description: string): JsonObject => ({ type: 'array', description, items: pointer })
const code = (description: string): JsonObject =>
  closed(description, {
    module: text('Path of the module, relative to this file.'),
    export: text('Name of the export.'),
  })

/** Published as schemas/tool-binding.schema.json. */
export const bindingSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:proviso:schema:tool-binding',
  title: 'ToolBinding',
  ...closed(
    'How the tool runs here: everything the contract has no room for.',
    {
      executor: closed(
        'What runs the tool.',
        {
          kind: choice('A TypeScript or JavaScript function in this process.', ['fn']),
          module: text('Path of the module, relative to this file.'),
          export: text('Name of the exported function (args, context) => result.'),
          commits: choice(
            "It works through context.sql, and its effect commits together with its record, in the ledger's own database.",
            ['ledger'],
          ),
        },
        ['kind', 'module', 'export'],
      ),
      dialect: choice('How the schemas are read where they have no $schema; 2020-12 by default.', dialects),
      strict: flag('The input schema must admit no undeclared key. True by default for whatever changes something.'),
      aliases: texts('Other names under which a model may call the tool.'),
      search_hint: text('Words by which a deferred tool is found.'),
      deferred: flag('Not shown to the model until discovered.'),
      roles: texts('Roles that may see the tool; without it everybody may.'),
      sensitive: pointers('Arguments whose values are never shown; * stands for any key or index.'),
      operation: {
        description:
          'What identifies one logical operation: pointers into the arguments, or "call" for every call on its own.',
        anyOf: [{ const: 'call' }, { type: 'array', minItems: 1, items: pointer }],
      },
      resource: { ...pointer, description: 'The argument that names what is changed.' },
      locks: pointers('Arguments whose values are locked while the call runs.'),
      concurrent: flag('May run beside other mutating calls of its run.'),
      approval: closed(
        'Who has to approve, and for how long that counts.',
        {
          pattern: choice('How people decide.', [
            'user_consent',
            'operator_review',
            'dual_control',
            'compliance_gate',
            'async_review',
          ]),
          quorum: count('How many different people must approve.', 1),
          ttl_seconds: count('After this time the request runs out.', 1),
        },
        [],
      ),
      consequence: code('(args) => string: one sentence for the person who approves.'),
      persistence: closed(
        'What is kept out of the context of the model.',
        {
          max_inline_bytes: count('Larger results are stored and referred to.', 1),
          redact: pointers('Fields of the result that are masked.'),
        },
        [],
      ),
      rules: code('An array of rules { id, fields, check(args, context) }.'),
      preflight: code('(args, context) => undefined | { reason, message, field? }.'),
      state: code('A state reader { read(args, context), match, allows?, after? }.'),
      verifier: code('(args, result, context) => { status: "verified" | "partial" | "failed" | "absent", message? }.'),
      recovery: closed(
        'What can be done about an attempt nobody has heard of again.',
        {
          horizon_seconds: count('After its time is up an effect may still arrive for this long.', 0),
          provider_window_seconds: count('The provider honours the idempotency key for this long.', 1),
          expired: choice('What a duplicate gets once the operation is remembered only as having been.', [
            'reject',
            'rebuild',
          ]),
        },
        [],
      ),
    },
    ['executor'],
  ),
}

/** Published as schemas/tool-file.schema.json: a whole tool file. Self-contained, so that an editor needs nothing else. */
export const toolFileSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:proviso:schema:tool-file',
  title: 'ToolFile',
  ...closed('A tool: its contract, and how it runs here.', {
    contract: withoutIdentity(contractSchema),
    binding: withoutIdentity(bindingSchema),
  }),
}

function withoutIdentity(schema: JsonObject): JsonObject {
  const { $schema: _dialect, $id: _id, ...rest } = schema
  return rest
}
