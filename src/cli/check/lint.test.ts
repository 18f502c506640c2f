// Every row of the rule table is real: a fault planted for it is found, and a clean file stays clean.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainContract } from '../../../test/plain-contract.ts'
import { lookupOrderFile } from '../init/starter.ts'
import { lintRules, type PlacedFinding, reportOn } from './lint.ts'
import { lintLevels } from './lint-rule.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proviso-check-'))
  await writeFile(
    join(folder, 'code.mjs'),
    'export const run = () => ({ done: true })\nexport const number = 7\nexport const state = { read: () => ({}), match: [] }\n',
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const clean = {
  contract: plainContract({
    identity: { name: 'void_invoice_v1' },
    affordance: {
      model_description: 'Voids one open invoice of the active tenant. Does not refund and does not send anything.',
      allowed_use_cases: ['an invoice was made by mistake'],
      forbidden_use_cases: ['refunds'],
      input_schema: {
        type: 'object',
        additionalProperties: false,
        required: ['invoice_id', 'reason'],
        properties: {
          invoice_id: { type: 'string', format: 'uuid', description: 'Id of the invoice, from the lookup.' },
          reason: {
            enum: ['duplicate', 'fraud_review'],
            description: 'Why it is voided. Ask the user when it is not known.',
          },
        },
      },
      output_schema: { type: 'object', additionalProperties: false, properties: { done: { const: true } } },
      examples: [
        {
          description: 'A duplicate.',
          arguments: { invoice_id: '7f1de3a4-5d1b-4a2f-9f0e-2f4d3f0b1a11', reason: 'duplicate' },
        },
      ],
    },
    runtime: { cost_profile: { currency: 'EUR', cost_per_call: 0.01, cost_unit: 'call' } },
    transactional: { side_effect_class: 'MEDIUM_RISK_WRITE', semantics: 'idempotent_write' },
    idempotency: { supported: true, required: true, payload_hash_required: true },
    observability: { audit_required: true },
  }),
  binding: { executor: { kind: 'fn', module: './code.mjs', export: 'run' }, resource: '/invoice_id' },
}

/** The clean file with values put at pointers; `undefined` takes a value away. */
function changed(changes: Readonly<Record<string, Json | undefined>>): Json {
  const copy: Record<string, unknown> = structuredClone(clean)
  for (const [pointer, value] of Object.entries(changes)) {
    const tokens = pointer.slice(1).split('/')
    const last = tokens.pop() ?? ''
    let here = copy
    for (const token of tokens) here = here[token] as Record<string, unknown>
    if (value === undefined) delete here[last]
    else here[last] = value
  }
  return copy as Json
}

const input = '/contract/affordance/input_schema'
const property = (name: string, schema: Json): Record<string, Json> => ({ [`${input}/properties/${name}`]: schema })
const classIs = (name: string): Record<string, Json> => ({ '/contract/transactional/side_effect_class': name })
const read: Record<string, Json | undefined> = {
  ...classIs('READ_ONLY'),
  '/contract/transactional/semantics': 'read_only',
  '/contract/identity/name': 'lookup_invoice_v1',
  '/contract/affordance/model_description': 'Looks up one invoice and changes nothing.',
}
/** The file as a request over HTTP. */
const posting = (executor: Record<string, Json | undefined>): Record<string, Json | undefined> => ({
  '/binding/executor': JSON.parse(
    JSON.stringify({ kind: 'http', method: 'POST', url: 'https://api.example.com/void', ...executor }),
  ),
  '/binding/egress_domains': ['api.example.com'],
  '/contract/security/egress_policy': 'allowlisted_domains',
})
const text = { type: 'string', maxLength: 10, description: 'Some text.' }

const verifying = (predicate: Json): Json => ({
  target: { id: '/args/invoice_id' },
  read: { module: './code.mjs', export: 'run' },
  expect: [predicate],
})

/** One planted fault per rule, and where it must be found. */
const planted: Readonly<Record<string, { readonly changes: Record<string, Json | undefined>; readonly at: string }>> = {
  'tool-file-invalid': { changes: { '/contract/identity': undefined }, at: '/contract/identity' },
  'module-missing': { changes: { '/binding/executor/module': './none.mjs' }, at: '/binding/executor/module' },
  'code-refused': { changes: { '/binding/executor/export': 'number' }, at: '/binding/executor' },
  'executor-refused': {
    changes: { '/binding/executor': { kind: 'http', method: 'POST', url: 'https://{invoice_id}/' } },
    at: '/binding/executor',
  },
  'name-taken': { changes: { '/binding/aliases': ['taken_v1'] }, at: '/binding/aliases' },
  'unknown-tool-named': {
    changes: { '/contract/identity/lifecycle/replacement': 'void_invoice_v2' },
    at: '/contract/identity/lifecycle/replacement',
  },
  'file-name-differs': { changes: { '/contract/identity/name': 'void_bill_v1' }, at: '/contract/identity/name' },

  'schema-unsupported': {
    changes: property('reason', { ...text, format: 'moon' }),
    at: `${input}/properties/reason/format`,
  },
  'keyword-ignored': { changes: { [`${input}/requird`]: [] }, at: `${input}/requird` },
  'open-object': { changes: { [`${input}/additionalProperties`]: undefined }, at: input },
  'open-object-in-read': { changes: { ...read, [`${input}/additionalProperties`]: undefined }, at: input },
  'example-breaks-open-schema': {
    changes: {
      ...read,
      [`${input}/additionalProperties`]: true,
      '/contract/affordance/examples/0/arguments/resaon': 'duplicate',
    },
    at: '/contract/affordance/examples/0/arguments',
  },
  'pointer-leads-nowhere': { changes: { '/binding/resource': '/invoiceid' }, at: '/binding/resource' },

  'secret-argument': { changes: property('apiKey', text), at: `${input}/properties/apiKey` },
  'code-argument': { changes: property('sql', text), at: `${input}/properties/sql` },
  'request-argument': { changes: { ...property('url', text), ...property('body', text) }, at: input },
  'free-text-choice': { changes: property('reason', text), at: `${input}/properties/reason` },
  'ambiguous-id': { changes: property('id', text), at: `${input}/properties/id` },
  'property-undescribed': {
    changes: property('reason', { enum: ['duplicate'] }),
    at: `${input}/properties/reason`,
  },
  'optional-property': { changes: { [`${input}/required`]: ['invoice_id'] }, at: `${input}/properties/reason` },
  'unbounded-text': {
    changes: property('comment', { type: 'string', description: 'A comment.' }),
    at: `${input}/properties/comment`,
  },
  'unbounded-list': {
    changes: property('lines', { type: 'array', items: text, description: 'The lines.' }),
    at: `${input}/properties/lines`,
  },

  'tool-undescribed': {
    changes: { '/contract/affordance/model_description': 'Handles invoices.' },
    at: '/contract/affordance/model_description',
  },
  'no-negative-capability': {
    changes: { '/contract/affordance/forbidden_use_cases': [] },
    at: '/contract/affordance/forbidden_use_cases',
  },
  'vague-name': { changes: { '/contract/identity/name': 'handle_billing_v1' }, at: '/contract/identity/name' },
  'name-without-version': { changes: { '/contract/identity/name': 'void_invoice' }, at: '/contract/identity/name' },
  'owner-missing': { changes: { '/contract/identity/owner': 'unassigned' }, at: '/contract/identity/owner' },
  'class-below-description': {
    changes: { '/contract/affordance/model_description': 'Sends the invoice to the customer by mail.' },
    at: '/contract/transactional/side_effect_class',
  },
  'no-examples': { changes: { '/contract/affordance/examples': [] }, at: '/contract/affordance/examples' },
  'no-output-schema': {
    changes: { '/contract/affordance/output_schema': {} },
    at: '/contract/affordance/output_schema',
  },
  'cost-is-zero': {
    changes: { ...classIs('HIGH_RISK_EXTERNAL'), '/contract/runtime/cost_profile/cost_per_call': 0 },
    at: '/contract/runtime/cost_profile/cost_per_call',
  },
  'currency-not-iso': {
    changes: { '/contract/runtime/cost_profile/currency': 'euro' },
    at: '/contract/runtime/cost_profile/currency',
  },

  'critical-on-ephemeral-ledger': {
    changes: classIs('CRITICAL_MUTATION'),
    at: '/contract/transactional/side_effect_class',
  },
  'commits-without-database': {
    changes: { '/binding/executor/commits': 'ledger' },
    at: '/binding/executor',
  },
  'provider-window-without-key': {
    changes: { '/binding/recovery': { provider_window_seconds: 60 }, '/contract/idempotency/supported': false },
    at: '/binding/recovery',
  },
  'retried-without-idempotency': {
    changes: { '/contract/runtime/max_retries': 2, '/contract/idempotency/supported': false },
    at: '/contract/runtime/max_retries',
  },
  'compensable-without-compensation': {
    changes: { '/contract/transactional/semantics': 'compensable_write' },
    at: '/contract/transactional/compensation_tool',
  },
  'compensation-not-mapped': {
    changes: { '/binding/compensation': { arguments: { invoice_id: { $from: '/arguments/invoice_id' } } } },
    at: '/binding/compensation',
  },
  'confirmation-too-weak': {
    changes: classIs('HIGH_RISK_EXTERNAL'),
    at: '/contract/transactional/confirmation_required',
  },
  'verification-too-weak': {
    changes: classIs('HIGH_RISK_EXTERNAL'),
    at: '/contract/transactional/post_action_verification_required',
  },
  'verifier-broken': {
    changes: { '/binding/verifier': verifying({ path: '/status', is: 'equals', from: '/before/status' }) },
    at: '/binding/verifier',
  },
  'verifier-too-weak': {
    changes: { '/binding/verifier': verifying({ path: '/status', is: 'equals', value: 'void' }) },
    at: '/binding/verifier',
  },
  'semantics-do-not-fit-class': {
    changes: { '/contract/transactional/semantics': 'read_only' },
    at: '/contract/transactional/semantics',
  },
  'idempotency-too-weak': { changes: { '/contract/idempotency/required': false }, at: '/contract/idempotency' },
  'audit-too-weak': {
    changes: { '/contract/observability/audit_required': false },
    at: '/contract/observability/audit_required',
  },
  'quorum-too-small': {
    changes: {
      ...classIs('CRITICAL_MUTATION'),
      '/contract/transactional/confirmation_required': true,
      '/binding/approval': { quorum: 1 },
    },
    at: '/binding/approval/quorum',
  },
  'approval-time-unbounded': {
    changes: { '/binding/approval': { ttl_seconds: 10_000_000_000 } },
    at: '/binding/approval',
  },
  'input-unsatisfiable': { changes: { [`${input}/maxProperties`]: 0 }, at: input },
  'output-unsatisfiable': {
    changes: { '/contract/affordance/output_schema': { not: {} } },
    at: '/contract/affordance/output_schema',
  },
  'rule-refused': {
    changes: { '/binding/rules': [{ id: 'typo', when: 'args.reson == "x"', message: 'Never said.' }] },
    at: '/binding/rules/0/when',
  },
  'state-schema-refused': {
    changes: { '/binding/state': { module: './code.mjs', export: 'state', schema: { format: 'moon' } } },
    at: '/binding/state/schema/format',
  },
  'consequence-unreadable': {
    changes: { '/binding/consequence': 'Cancels {order}' },
    at: '/binding/consequence',
  },
  'executor-names-no-argument': { changes: posting({ json: { id: '{invoice}' } }), at: '/binding/executor' },
  'executor-names-no-credential': {
    changes: posting({ headers: { 'X-Key': '{credential:api}' } }),
    at: '/binding/executor',
  },
  'not-isolated': { changes: { '/contract/runtime/sandbox_isolated': true }, at: '/contract/runtime/sandbox_isolated' },
  'effect-below-executor': {
    changes: { ...posting({ form: true }) },
    at: '/contract/transactional/side_effect_class',
  },
  'change-by-a-read': {
    changes: { ...posting({ method: 'GET', json: undefined }) },
    at: '/contract/transactional/side_effect_class',
  },
  'connects-without-egress': {
    changes: { ...posting({}), '/contract/security/egress_policy': 'none' },
    at: '/contract/security/egress_policy',
  },
  'connections-not-watched': {
    changes: {
      '/binding/executor': { kind: 'mcp', server: { command: ['/usr/bin/some-server'] }, tool: 'cancel' },
      '/binding/egress_domains': ['api.example.com'],
      '/contract/security/egress_policy': 'allowlisted_domains',
    },
    at: '/contract/security/egress_policy',
  },
  'no-domains-listed': {
    changes: { '/contract/security/egress_policy': 'allowlisted_domains' },
    at: '/binding/egress_domains',
  },
  'bad-port': { changes: { '/binding/connections': { ports: [0] } }, at: '/binding/connections/ports' },
  'key-reaches-nobody': {
    changes: { ...posting({}), '/binding/recovery': { provider_window_seconds: 60 } },
    at: '/contract/idempotency/key_header',
  },
  'key-header-refused': {
    changes: { '/contract/idempotency/key_header': 'Content-Length' },
    at: '/contract/idempotency/key_header',
  },
  'program-without-user': {
    changes: {
      '/binding/executor': { kind: 'process', program: '/usr/bin/true', isolation: 'none', network: false },
    },
    at: '/binding/executor/isolation',
  },
  'credentials-without-boundary': {
    changes: { '/binding/credentials': { key: { ref: 'billing/api' } } },
    at: '/contract/security/secrets_boundary',
  },
  'secrets-outside-sandbox': {
    changes: { '/contract/security/secrets_boundary': 'execution_sandbox' },
    at: '/contract/security/secrets_boundary',
  },
  'bad-credential': {
    changes: {
      '/contract/security/secrets_boundary': 'gateway_injected',
      '/binding/credentials': { key: { ref: 'billing//api' } },
    },
    at: '/binding/credentials',
  },
  'unknown-error-class': {
    changes: { '/contract/error_contract/retryable_errors': ['OOPS'] },
    at: '/contract/error_contract',
  },
  'fail-closed-loosened': {
    changes: { '/contract/error_contract/retryable_errors': ['PERMISSION_DENIED'] },
    at: '/contract/error_contract',
  },
  'retried-and-failed-closed': {
    changes: {
      '/contract/error_contract/retryable_errors': ['TIMEOUT'],
      '/contract/error_contract/fail_closed_errors': ['TIMEOUT'],
    },
    at: '/contract/error_contract',
  },
  'error-code-stands-for-a-gate': {
    changes: { '/contract/observability/error_taxonomy_mapping': { E1: 'CONFIRMATION_MISSING' } },
    at: '/contract/observability/error_taxonomy_mapping',
  },
  'bad-pointer': { changes: { '/binding/locks': ['/a~b'] }, at: '/binding' },
  'secret-result-is-kept': {
    changes: {
      '/contract/security/data_classification': 'secret',
      '/binding/persistence': { mode: 'preview_and_persist' },
    },
    at: '/binding/persistence/mode',
  },
  'nothing-is-redacted': { changes: { '/binding/persistence': { mode: 'redact' } }, at: '/binding/persistence/redact' },
  'result-sizes-do-not-fit': {
    changes: { '/binding/persistence': { max_inline_bytes: 100, preview_bytes: 200 } },
    at: '/binding/persistence',
  },
  'money-cannot-be-counted': {
    changes: { '/contract/runtime/cost_profile/cost_per_call': 0.0000001 },
    at: '/binding/amount',
  },
  'property-says-nothing': {
    changes: property('reason', { enum: ['duplicate'], description: 'The reason.' }),
    at: `${input}/properties/reason`,
  },
  'told-to-guess': {
    changes: property('reason', { enum: ['duplicate'], description: 'Why it is voided. Guess where it is not given.' }),
    at: `${input}/properties/reason`,
  },
  'no-repair-hint': {
    changes: property('reason', { enum: ['duplicate'], description: 'Why it is voided.' }),
    at: '/contract/affordance/model_description',
  },
  'no-preconditions': {
    changes: {
      '/contract/affordance/model_description': 'Voids one invoice of the active tenant. Does not refund it.',
      ...property('invoice_id', {
        type: 'string',
        format: 'uuid',
        description: 'Id of the invoice. Ask the user for it.',
      }),
      ...property('reason', { enum: ['duplicate'], description: 'Why it is voided.' }),
    },
    at: '/contract/affordance/model_description',
  },
  'many-operations': {
    changes: property('action', { enum: ['show', 'void'], description: 'What is done with it.' }),
    at: `${input}/properties/action`,
  },
  'effect-not-told': {
    changes: {
      '/contract/identity/name': 'fetch_invoice_v1',
      '/contract/affordance/model_description': 'Fetches one open invoice of the active tenant.',
    },
    at: '/contract/affordance/model_description',
  },
  'idempotency-recommended': {
    changes: {
      ...classIs('EPHEMERAL_WRITE'),
      '/contract/idempotency/supported': false,
      '/contract/idempotency/required': false,
    },
    at: '/contract/idempotency/supported',
  },
  'example-does-not-fit': {
    changes: { '/contract/affordance/examples/0/arguments/reason': 'because' },
    at: '/contract/affordance/examples',
  },
}

async function lintDocument(document: Json, name = 'void_invoice_v1.tool.json'): Promise<readonly PlacedFinding[]> {
  const first = join(folder, 'a_taken_v1.tool.json')
  const second = join(folder, name)
  await writeFile(first, JSON.stringify(changed({ '/contract/identity/name': 'taken_v1' })))
  await writeFile(second, JSON.stringify(document, null, 2))
  const reports = await reportOn([first, second], { load: true })
  return reports[1]?.findings ?? []
}

describe('versions of one tool', () => {
  const named = (version: string) =>
    changed({ '/contract/identity/name': 'taken_v1', '/contract/identity/version': version })
  const taken = async (version: string) =>
    (await lintDocument(named(version), `taken_v1@${version}.tool.json`)).map(
      ({ rule, pointer }) => `${rule} ${pointer}`,
    )

  it('may lie side by side under one name', async () => {
    expect(await taken('9.0.0')).toEqual([])
  })

  it('are refused where two are the same, or where their order cannot be told', async () => {
    const first = '/contract/identity/version'
    expect(await taken('newest')).toEqual([`name-taken ${first}`])
    expect(await taken('1.0.0')).toEqual([`name-taken ${first}`])
  })
})

describe('the rules of check', () => {
  it('find nothing in a clean tool that changes something', async () => {
    expect(await lintDocument(changed({}))).toEqual([])
  })

  it('find nothing in a clean read', async () => {
    expect(await lintDocument(changed(read), 'lookup_invoice_v1.tool.json')).toEqual([])
  })

  it.each(lintRules.map(({ id }) => id))('find a planted fault: %s [TC-058 to TC-072, TC-120, TC-331]', async (id) => {
    const plant = planted[id]
    expect(plant, `no fault is planted for ${id}`).toBeDefined()
    const findings = (await lintDocument(changed(plant?.changes ?? {}))).filter(({ rule }) => rule === id)
    expect(findings.map(({ pointer }) => pointer)).toContain(plant?.at)
    for (const { message, write, line } of findings) {
      expect(message).toMatch(/\S/)
      expect(write).toMatch(/\S/)
      expect(line).toBeGreaterThan(0)
    }
  })

  it('have ids of their own, one of three levels, and sentences that end', () => {
    expect(new Set(lintRules.map(({ id }) => id)).size).toBe(lintRules.length)
    for (const { id, level, what, why } of lintRules) {
      expect(id).toMatch(/^[a-z]+(?:-[a-z]+)*$/)
      expect(lintLevels).toContain(level)
      expect(`${what} ${why}`).toMatch(/\.$/)
    }
  })

  it('have no fault planted for a rule that does not exist', () => {
    const ids = lintRules.map(({ id }) => id)
    expect(Object.keys(planted).filter((id) => !ids.includes(id))).toEqual([])
  })

  it('suggest the keyword that was meant, the pointer that exists and the name of the other dialect', async () => {
    const findings = await lintDocument(
      changed({
        [`${input}/requird`]: [],
        ...property('reason', { enum: ['duplicate'], description: 'Why.', nullable: true }),
        '/binding/resource': '/invoiceid',
      }),
    )
    const written = findings.filter(({ level }) => level === 'warning').map(({ write }) => write)
    expect(written.toSorted()).toEqual(['/invoice_id', 'required', "type: [<type>, 'null']"])
  })

  it('name the line of YAML that a finding is about', async () => {
    const file = join(folder, 'lookup_order_v1.tool.yaml')
    const broken = lookupOrderFile
      .replace('owner: order-team', 'owner: unassigned')
      .replaceAll('./orders.mjs', './code.mjs')
    await writeFile(file, broken)
    const [report] = await reportOn([file], { load: false })
    const line = broken.split('\n').findIndex((text) => text.includes('unassigned')) + 1
    expect(report?.findings).toEqual([expect.objectContaining({ rule: 'owner-missing', line, column: 5 })])
  })

  it('report broken YAML and broken JSON with the line, as one finding', async () => {
    const yaml = join(folder, 'broken.tool.yaml')
    const json = join(folder, 'broken.tool.json')
    await writeFile(yaml, 'contract:\n  identity: [\nbinding: {}\n')
    await writeFile(json, '{\n  "contract": {},\n  "contract": {}\n}\n')
    const reports = await reportOn([yaml, json], { load: false })
    expect(reports.map(({ findings }) => findings.length)).toEqual([1, 1])
    expect(reports[0]?.findings[0]?.message).toMatch(/line [0-9]+/)
    expect(reports[1]?.findings[0]?.message).toMatch(/line 3/)
  })
})
