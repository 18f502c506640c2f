// The binding as it stands in a tool file: the published JSON Schema, and the file form's type. Code is named by module and export.
import type { JsonObject } from '../../json/value.ts'
import { type Dialect, dialects } from '../../schema/normal.ts'
import { patternNames } from '../approval/approval-pattern.ts'
import { type PersistenceMode, persistenceModes } from '../call/result.ts'
import { choice, closed, count, flag, text, texts } from '../closed-schema.ts'
import type { ApprovalPattern } from '../effects.ts'
import { type VerifierFields, verificationSchema, verifierSchema } from '../verification/verifier-file.ts'
import { type CredentialBindings, credentialsSchema } from './credential.ts'
import { contractSchema } from './envelope.ts'
import { type CodeRef, code, declaredExecutors, type FileExecutor } from './executor-files/executor-file.ts'
import { fnFileSchema } from './executor-files/fn-file.ts'
import type { BindingChoices } from './fill-binding.ts'
import type { RuleSource } from './rule.ts'
import type { AmountBinding } from './tool.ts'

export interface FileBinding extends VerifierFields {
  readonly executor: FileExecutor
  readonly dialect?: Dialect
  readonly strict?: boolean
  readonly aliases?: readonly string[]
  readonly search_hint?: string
  readonly deferred?: boolean
  readonly roles?: readonly string[]
  readonly sensitive?: readonly string[]
  readonly operation?: 'call' | readonly string[]
  readonly share?: 'run' | 'tenant'
  readonly resource?: string
  readonly amount?: AmountBinding
  readonly locks?: readonly string[]
  readonly concurrent?: boolean
  readonly interrupt?: 'cancel' | 'block'
  readonly modifies_context?: boolean
  readonly max_repairs?: number
  readonly approval?: {
    readonly pattern?: ApprovalPattern
    readonly quorum?: number
    readonly roles?: readonly string[]
    readonly ttl_seconds?: number
  }
  readonly consequence?: CodeRef | string
  readonly persistence?: {
    readonly mode?: PersistenceMode
    readonly max_inline_bytes?: number
    readonly max_bytes?: number
    readonly preview_bytes?: number
    readonly redact?: readonly string[]
  }
  /** CEL rules as they are, and rules in code by the export that lists them. */
  readonly rules?: CodeRef | readonly (RuleSource | CodeRef)[]
  readonly trusted?: boolean
  readonly residency?: string
  readonly egress_domains?: readonly string[]
  readonly connections?: {
    readonly ports?: readonly number[]
    readonly loopback?: boolean
    readonly plain?: boolean
  }
  readonly credentials?: CredentialBindings
  readonly preflight?: CodeRef
  readonly state?: CodeRef & { readonly schema?: JsonObject }
  /** What undoes it is called with a template, or with what code makes of arguments and result. */
  readonly compensation?: { readonly arguments: JsonObject } | CodeRef
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
    share: file.share,
    resource: file.resource,
    amount: file.amount,
    locks: file.locks,
    concurrent: file.concurrent,
    interrupt: file.interrupt,
    modifiesContext: file.modifies_context,
    maxRepairs: file.max_repairs,
    rules: inlineRules(file),
    trusted: file.trusted,
    residency: file.residency,
    egressDomains: file.egress_domains,
    connections: file.connections,
    credentials: file.credentials,
    approval: {
      pattern: approval?.pattern,
      quorum: approval?.quorum,
      roles: approval?.roles,
      ttlMs: seconds === undefined ? undefined : seconds * 1_000,
    },
    consequence: typeof file.consequence === 'string' ? file.consequence : undefined,
    persistence: {
      mode: persistence?.mode,
      maxInlineBytes: persistence?.max_inline_bytes,
      maxBytes: persistence?.max_bytes,
      previewBytes: persistence?.preview_bytes,
      redact: persistence?.redact,
    },
    compensation: file.compensation !== undefined && 'arguments' in file.compensation ? file.compensation : undefined,
    recovery: {
      horizonMs: milliseconds(recovery?.horizon_seconds),
      providerWindowMs: milliseconds(recovery?.provider_window_seconds),
      expired: recovery?.expired,
    },
  }
}

/** The rules that are in the file itself. */
export const inlineRules = ({ rules = [] }: FileBinding): readonly RuleSource[] =>
  'module' in rules ? [] : rules.filter((rule): rule is RuleSource => 'when' in rule)

/** The exports that list rules in code, with where they are named. */
export function codeRules({ rules = [] }: FileBinding): readonly { readonly ref: CodeRef; readonly pointer: string }[] {
  if ('module' in rules) return [{ ref: rules, pointer: '/binding/rules' }]
  return rules.flatMap((rule, index) => ('module' in rule ? [{ ref: rule, pointer: `/binding/rules/${index}` }] : []))
}

const milliseconds = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)

const pointer: JsonObject = { type: 'string', pattern: '^(/[^/]*)+$' }
const pointers = (description: string): JsonObject => ({ type: 'array', description, items: pointer })
const codeRuleList = code('An array of rules { id, phase, message, fields?, check(args, context, state?) }.')
const celRule = closed(
  'A rule in CEL.',
  {
    id: text('Names the rule.'),
    when: text('A CEL expression over args, context and state; the call passes only where it is true.'),
    message: text('One sentence for the model: what to do so that the rule holds.'),
    fields: pointers('The arguments concerned.'),
  },
  ['id', 'when', 'message'],
)

/** Published as schemas/tool-binding.schema.json. */
export const bindingSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:proviso:schema:tool-binding',
  title: 'ToolBinding',
  ...closed(
    'How the tool runs here: everything the contract has no room for.',
    {
      executor: {
        description: 'What runs the tool.',
        anyOf: [fnFileSchema, ...declaredExecutors],
      },
      dialect: choice('How the schemas are read where they have no $schema; 2020-12 by default.', dialects),
      strict: flag('The input schema must admit no undeclared key. True by default for tools that change something.'),
      aliases: texts('Other names under which a model may call the tool.'),
      search_hint: text('Words by which a deferred tool is found.'),
      deferred: flag('Not shown to the model until discovered.'),
      roles: texts('Roles that may see the tool; without it every principal may.'),
      sensitive: pointers('Arguments whose values are never shown; * stands for any key or index.'),
      share: choice(
        'Who is given the recorded answer of an operation that was done before: by default the run it was done in and the principal it was done for.',
        ['run', 'tenant'],
      ),
      operation: {
        description:
          'What identifies one logical operation: pointers into the arguments, or "call" for every call on its own.',
        anyOf: [{ const: 'call' }, { type: 'array', minItems: 1, items: pointer }],
      },
      resource: { ...pointer, description: 'The argument that names what is changed.' },
      amount: closed(
        'How much money a call moves, for financial budgets and grants. A call without it, or with a negative one, is refused.',
        {
          pointer: {
            ...pointer,
            description: 'The argument that says how much: a number, or a plain decimal as text.',
          },
          currency: {
            description: 'The argument that names the currency, or the currency itself.',
            anyOf: [pointer, closed('Always the same.', { const: text('Its code, such as EUR.') })],
          },
          decimals: {
            type: 'integer',
            minimum: 0,
            maximum: 6,
            description: 'How many digits of the number are behind the point: 2 where the argument counts cents.',
          },
        },
        ['pointer', 'currency'],
      ),
      locks: pointers(
        'Arguments whose values are locked while the call runs, within one process: reads share a lock, a tool that changes something has it alone.',
      ),
      concurrent: flag(
        'May run beside other calls of its run. True by default for reads, false for tools that change something.',
      ),
      interrupt: choice(
        'What happens to a running call of a batch that is given up: it is aborted, or goes on to its end. By default reads are aborted, and tools that change something go on.',
        ['cancel', 'block'],
      ),
      modifies_context: flag(
        'It changes what later calls of its run may see, such as which tools there are: no sibling of its batch runs beside it.',
      ),
      max_repairs: count('How often in a row a model is sent back to mend its call. As the host says by default.', 0),
      approval: closed(
        'Who has to approve, and for how long that counts.',
        {
          pattern: choice('How people decide.', patternNames),
          quorum: count('How many different people must approve.', 1),
          roles: texts('Roles of the people who may approve; one is enough. Those of the pattern by default.'),
          ttl_seconds: count('After this time the request runs out.', 1),
        },
        [],
      ),
      consequence: {
        description: 'One sentence for the person who approves.',
        anyOf: [
          {
            type: 'string',
            description: 'A text with arguments in braces: Charges {amount} {currency}.',
            minLength: 1,
          },
          code('(args) => string'),
        ],
      },
      persistence: closed(
        'What is kept out of the context of the model.',
        {
          mode: choice(
            'How much of a result is shown and kept. By default regulated data is masked where redact names fields and only referred to elsewhere, secret data is never kept, and everything else is shown.',
            persistenceModes,
          ),
          max_inline_bytes: count('Larger results are stored and referred to.', 1),
          max_bytes: count('Larger results are not kept at all.', 1),
          preview_bytes: count('How much of a stored result is shown.', 0),
          redact: pointers('Fields of the result that are masked.'),
        },
        [],
      ),
      rules: {
        description: 'What the input schema cannot say: rules in CEL, and exports that list rules in code.',
        anyOf: [codeRuleList, { type: 'array', items: { anyOf: [celRule, codeRuleList] } }],
      },
      trusted: flag(
        'What the tool returns comes from a source that no outsider can write to. False by default: then a run that has seen it counts as untrusted.',
      ),
      residency: text('Where its data stays, as policies name places.'),
      egress_domains: texts('Whom the executor may reach: names, and suffixes such as *.example.com.'),
      connections: closed(
        'What is allowed beyond https to the usual port.',
        {
          ports: { type: 'array', description: 'Ports besides 443 and 80.', items: { type: 'integer' } },
          loopback: flag('This machine itself, for development and tests.'),
          plain: flag('Unencrypted connections to public addresses.'),
        },
        [],
      ),
      credentials: credentialsSchema(
        'Secrets that the executor is given, by the names under which it finds them. Values never stand here.',
      ),
      preflight: code('(args, context) => undefined | { reason, message, field? }.'),
      state: closed(
        'A state reader { read(args, context), match, allows?, after?, schema? }.',
        {
          module: text('Path of the module, relative to this file.'),
          export: text('Name of the export.'),
          schema: { type: 'object', description: 'What read returns; rules that read state are typed by it.' },
        },
        ['module', 'export'],
      ),
      verifier: verifierSchema,
      verification: verificationSchema,
      compensation: {
        description: 'What the compensation_tool of the contract is called with, where a saga does not say.',
        anyOf: [
          closed('As data.', {
            arguments: {
              type: 'object',
              description:
                'A template: { "$from": pointer } stands for what is found below /arguments or /result of the call that is undone.',
            },
          }),
          code('(arguments, result) => arguments of the compensation tool'),
        ],
      },
      recovery: closed(
        'What can be done about an attempt whose process was lost.',
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
