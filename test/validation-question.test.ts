// The five cases of a well-known question to an agent SDK — where are tool arguments validated, how deep, what happens on failure —
// asked of Proviso through `call`, with the same schema written in JSON Schema and in every schema library.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { Schema } from 'effect'
import { Type } from 'typebox'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, openProviso } from '../src/index.ts'
import { issueReport } from './issue-report.ts'
import { approveAs, people } from './people.ts'

const severities = ['low', 'high'] as const

const schemas = {
  'JSON Schema': issueReport({
    additionalProperties: false,
    properties: { issueId: { type: 'integer' }, severity: { type: 'string', enum: severities } },
  }),
  Zod: z.object({
    topIssues: z.array(z.object({ issueId: z.int(), severity: z.enum(severities) })),
    summary: z.string(),
  }),
  Valibot: toStandardJsonSchema(
    v.object({
      topIssues: v.array(v.object({ issueId: v.pipe(v.number(), v.integer()), severity: v.picklist(severities) })),
      summary: v.string(),
    }),
  ),
  ArkType: type({
    topIssues: type({ issueId: 'number.integer', severity: "'low' | 'high'" }).array(),
    summary: 'string',
  }),
  TypeBox: Type.Object({
    topIssues: Type.Array(
      Type.Object({ issueId: Type.Integer(), severity: Type.Union([Type.Literal('low'), Type.Literal('high')]) }),
    ),
    summary: Type.String(),
  }),
  Effect: Schema.toStandardSchemaV1(
    Schema.toStandardJSONSchemaV1(
      Schema.toCodecJson(
        Schema.Struct({
          topIssues: Schema.Array(Schema.Struct({ issueId: Schema.Int, severity: Schema.Literals(severities) })),
          summary: Schema.String,
        }),
      ),
    ),
  ),
} as const

const good = { topIssues: [{ issueId: 1, severity: 'low' }], summary: 's' }

const cases = [
  [
    'a wrong top-level key',
    { top_issues: good.topIssues, summary: 's' },
    'STRUCTURAL_VIOLATION',
    'topIssues',
    /`top_issues` was given instead: rename it/,
  ],
  ['a missing top-level field', { topIssues: good.topIssues }, 'STRUCTURAL_VIOLATION', 'summary', /required/],
  ['an extra top-level key', { ...good, mood: 'fine' }, 'STRUCTURAL_VIOLATION', 'mood', /not a declared property/],
  [
    'a wrong item shape',
    { ...good, topIssues: [good.topIssues[0], { title: 'foo' }] },
    'STRUCTURAL_VIOLATION',
    'topIssues[1].issueId',
    /required/,
  ],
  [
    'a wrong nested type',
    { ...good, topIssues: [{ issueId: 'one', severity: 'low' }] },
    'TYPE_MISMATCH',
    'topIssues[0].issueId',
    /integer|whole number/,
  ],
] as const

describe.each(Object.keys(schemas) as (keyof typeof schemas)[])('asked with %s', (library) => {
  const opened = async () => {
    const reached: unknown[] = []
    const input: unknown = schemas[library]
    const tool = defineTool({
      name: 'report_v1',
      description: 'Takes a report.',
      effect: 'READ_ONLY',
      input,
      execute: (args) => void reached.push(args),
    })
    return { reached, proviso: await openProviso({ tools: [tool], identity: people }) }
  }

  it('lets the right call through', async () => {
    const { reached, proviso } = await opened()
    const answer = await proviso.call({ tool: 'report_v1', arguments: JSON.stringify(good) })
    expect(answer.observation.status.taxonomy_class).toBe('SUCCESS')
    expect(reached).toEqual([good])
  })

  it.each(cases)(
    'refuses %s before the executor, and says where and what to do [five-schema-libraries] [validation-at-any-depth] [did-you-mean] [TC-028, TC-057, TC-084, TC-085, TC-191, TC-320, DR-19 to DR-21, VD-01 to VD-07, VD-11]',
    async (_, args, taxonomyClass, field, message) => {
      const { reached, proviso } = await opened()
      const answer = await proviso.call({ tool: 'report_v1', arguments: JSON.stringify(args) })
      expect(answer.observation.status.taxonomy_class).toBe(taxonomyClass)
      const error = answer.feedback?.field_errors.find((entry) => entry.field === field)
      expect(error?.message).toMatch(message)
      expect(answer.feedback).toMatchObject({
        validation_status: 'failed',
        repairable: true,
        retryable: false,
        next_action: 'repair_arguments',
      })
      expect(reached).toEqual([])
    },
  )
})

describe('what a JSON Schema cannot carry', () => {
  it("runs the library's own refinements and hands its output to the tool [five-schema-libraries]", async () => {
    const input = z
      .object({ from: z.string().transform(Number), to: z.coerce.number() })
      .refine((range) => range.from <= range.to, { message: 'from must not be after to', path: ['from'] })
    const reached: unknown[] = []
    const tool = defineTool({
      name: 'range_v1',
      description: 'Takes a range.',
      effect: 'READ_ONLY',
      input,
      execute: (args) => void reached.push(args.from + args.to),
    })
    const proviso = await openProviso({ tools: [tool], identity: people })
    const refused = await proviso.call({ tool: 'range_v1', arguments: '{"from":"9","to":3}' })
    expect([refused.observation.status.taxonomy_class, refused.feedback?.field_errors[0]]).toEqual([
      'SEMANTIC_INVALIDITY',
      expect.objectContaining({ field: 'from', message: 'from must not be after to' }),
    ])
    const fine = await proviso.call({ tool: 'range_v1', arguments: '{"from":"1","to":3}' })
    expect([fine.observation.status.taxonomy_class, reached]).toEqual(['SUCCESS', [4]])
  })

  it('hands the tool the value that was approved, though the library would make another one on every pass', async () => {
    let made = 0
    const input = z.object({ to: z.string(), reference: z.string().default(() => `ref-${++made}`) })
    const reached: unknown[] = []
    const tool = defineTool({
      name: 'send_v1',
      description: 'Sends.',
      effect: 'HIGH_RISK_EXTERNAL',
      input,
      execute: (args) => void reached.push(args),
    })
    const proviso = await openProviso({ tools: [tool], identity: people })
    made = 0
    const send = () =>
      proviso.call({ tool: 'send_v1', arguments: '{"to":"ann"}', callId: 'c1' }, { tenant: 'acme', run: 'r' })
    const asked = await send()
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    expect((await send()).observation.status.taxonomy_class).toBe('SUCCESS')
    expect(reached).toEqual([{ to: 'ann', reference: 'ref-1' }])
    const [record] = await proviso.calls.list()
    expect(record?.mutations).toEqual([expect.objectContaining({ by: 'schema library', fields: ['reference'] })])
  })

  it('quotes nothing of a sensitive field that a library refuses [sensitive-never-shown]', async () => {
    const input = z.object({
      pin: z.string().refine(() => false, { error: (issue) => `bad pin ${String(issue.input)}` }),
    })
    const tool = defineTool({
      name: 'pin_v1',
      description: 'Takes a pin.',
      effect: 'READ_ONLY',
      input,
      sensitive: ['/pin'],
      execute: () => ({}),
    })
    const answer = await (await openProviso({ tools: [tool], identity: people })).call({
      tool: 'pin_v1',
      arguments: '{"pin":"4711"}',
    })
    expect(answer.observation.status.taxonomy_class).toBe('SEMANTIC_INVALIDITY')
    expect(JSON.stringify(answer)).not.toContain('4711')
  })
})
