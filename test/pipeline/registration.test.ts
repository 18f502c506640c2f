import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defineTool, Fault, loadContracts, openProviso, type ToolSource } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { toolContradictions } from '../../src/runtime/tool-contradictions.ts'
import { classOf, counted, open } from './bench-desk.ts'
import { planted } from './planted-contradictions.ts'

describe('registration', () => {
  it.for(toolContradictions.map(({ id }) => id))(
    'refuses %s by name [registration-refuses-by-name] [TC-323, TC-410]',
    async (id, { skip }) => {
      if (id === 'program-without-user' && process.geteuid?.() !== 0) skip('only root needs users for programs')
      const [effect, plant] = planted[id] ?? ['READ_ONLY', (source) => source]
      const { source } = counted(effect)
      await expect(openProviso({ tools: [plant(source) as ToolSource] })).rejects.toThrow(id)
    },
  )

  it('takes a critical mutation only on a durable ledger [critical-needs-durable-ledger]', async () => {
    const { source } = counted('CRITICAL_MUTATION')
    await expect(open(source)).rejects.toThrow('critical-on-ephemeral-ledger')
    await expect(open(source, { ledger: { ...memory(), durability: 'durable' } })).resolves.toBeDefined()
  })

  it('asks nothing of a read-only tool but a name, a description, a schema and a function [read-only-costs-nothing]', async () => {
    const tool = defineTool({
      name: 'add',
      description: 'Adds.',
      effect: 'READ_ONLY',
      input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      execute: ({ a }) => a + 1,
    })
    const proviso = await openProviso({ tools: [tool] })
    const answer = await proviso.call({ tool: 'add', arguments: '{"a":1}' })
    expect([classOf(answer), answer.value, answer.effect]).toEqual(['SUCCESS', 2, 'none'])
    expect(tool.contract.runtime).toMatchObject({
      timeout_ms: 30_000,
      rate_limits: { window_sec: 1, max_requests: 1_000 },
      max_retries: 0,
    })
  })

  it('refuses a schema it cannot honour, with the pointer [schema-refused-not-ignored]', async () => {
    const bad: readonly (readonly [object, RegExp])[] = [
      [{ type: 'strnig' }, /input_schema\/type/],
      [{ type: 'object', properties: { a: { pattern: '(?=x)' } } }, /properties\/a\/pattern/],
      [{ type: 'object', properties: { a: { format: 'moon-phase' } } }, /properties\/a\/format/],
      [{ $ref: 'https://example.com/schema.json' }, /\$ref/],
    ]
    for (const [input, message] of bad) {
      const tool = defineTool({ name: 'x_v1', description: 'x', effect: 'READ_ONLY', input, execute: () => ({}) })
      await expect(openProviso({ tools: [tool] })).rejects.toThrow(message)
    }
  })

  it('holds a contract to its own schema, however it was made [registration-refuses-by-name] [TC-028]', async () => {
    const bad = [
      [{ name: 'bad name ✓' }, /identity\/name/],
      [{ timeoutMs: -5 }, /runtime\/timeout_ms/],
      [{ timeoutMs: Number.NaN }, /runtime\/timeout_ms/],
      [{ rate: { windowSec: 0, maxRequests: 0 } }, /rate_limits\/window_sec/],
    ] as const
    for (const [change, message] of bad)
      await expect(open(counted('READ_ONLY', change).source)).rejects.toThrow(message)
  })

  it('refuses a strict tool whose schema lets undeclared arguments through, by meaning and not by syntax [closedness-is-proven]', async () => {
    const made = (input: object, more = {}) =>
      defineTool({ name: 'x_v1', description: 'x', effect: 'LOW_RISK_INTERNAL', input, execute: () => ({}), ...more })
    const properties = { a: { type: 'string' } }
    const open = [
      { type: 'object', properties },
      { type: 'object', properties: { a: { type: 'object', properties } }, additionalProperties: false },
      { allOf: [{ properties }, { additionalProperties: true }] },
    ]
    for (const input of open) await expect(openProviso({ tools: [made(input)] })).rejects.toThrow('input-not-closed')
    const closed = [
      { type: 'object', properties, additionalProperties: false },
      { allOf: [{ type: 'object', properties }], unevaluatedProperties: false },
      { type: 'object', properties, propertyNames: { enum: ['a'] } },
      { type: 'object', maxProperties: 0 },
      { type: 'object', additionalProperties: { type: 'string' } },
    ]
    for (const input of closed) await expect(openProviso({ tools: [made(input)] })).resolves.toBeDefined()
    await expect(
      openProviso({ tools: [made({ type: 'object', properties }, { strict: false })] }),
    ).resolves.toBeDefined()
    await expect(
      openProviso({ tools: [made({ type: 'object', properties }, { effect: 'READ_ONLY' })] }),
    ).resolves.toBeDefined()
  })

  it('refuses schemas that no value satisfies [unsatisfiable-is-refused]', async () => {
    const made = (input: object, output: object) =>
      defineTool({ name: 'x_v1', description: 'x', effect: 'READ_ONLY', input, output, execute: () => ({}) as never })
    const impossible = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'integer', minimum: 5, maximum: 4 } },
    }
    await expect(openProviso({ tools: [made(impossible, {})] })).rejects.toThrow('input-unsatisfiable')
    await expect(openProviso({ tools: [made({ type: 'string' }, {})] })).rejects.toThrow('input-unsatisfiable')
    await expect(
      openProviso({ tools: [made({}, { allOf: [{ type: 'string' }, { type: 'number' }] })] }),
    ).rejects.toThrow('output-unsatisfiable')
  })

  it('reads OpenAPI 3.0 schemas where the binding says so', async () => {
    const tool = defineTool({
      name: 'nullable_v1',
      description: 'x',
      effect: 'READ_ONLY',
      dialect: 'openapi-3.0',
      input: { type: 'object', properties: { note: { type: 'string', nullable: true } }, additionalProperties: false },
      execute: () => ({}),
    })
    const answer = await (await openProviso({ tools: [tool] })).call({
      tool: 'nullable_v1',
      arguments: '{"note":null}',
    })
    expect(classOf(answer)).toBe('SUCCESS')
  })

  it('refuses two tools of one name, also by alias', async () => {
    const { source } = counted('READ_ONLY')
    await expect(open([source, counted('READ_ONLY').source])).rejects.toThrow('is taken')
    await expect(
      open([source, counted('READ_ONLY', { name: 'other_v1', aliases: ['order_v1'] }).source]),
    ).rejects.toThrow('is taken')
  })
})

describe('tool files', () => {
  const code = `
export const run = (args) => ({ found: args.order_id })
export const state = { read: () => ({ open: true }), match: [] }
`
  const write = async (name: string, content: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'proviso-tools-'))
    await writeFile(join(folder, 'orders.mjs'), code)
    await writeFile(join(folder, name), content)
    return folder
  }
  const { contract } = counted('MEDIUM_RISK_WRITE').source
  const binding = {
    executor: { kind: 'fn', module: './orders.mjs', export: 'run' },
    state: { module: './orders.mjs', export: 'state' },
    operation: ['/order_id'],
  }

  it('loads JSON and YAML files with their code and runs them [tool-files-load] [TC-405]', async () => {
    for (const [name, text] of [
      ['order.tool.json', JSON.stringify({ contract, binding })],
      ['order.tool.yaml', (await import('yaml')).stringify({ contract, binding })],
    ] as const) {
      const proviso = await openProviso({ tools: await loadContracts(await write(name, text)) })
      const answer = await proviso.call(
        { tool: 'order_v1', arguments: { order_id: 'o-7' }, callId: 'c' },
        { tenant: 'acme', run: 'r' },
      )
      expect([classOf(answer), answer.value]).toEqual(['SUCCESS', { found: 'o-7' }])
    }
  })

  it('refuses a bad file with the file, the pointer and what to write [tool-files-load]', async () => {
    const { runtime: _, ...incomplete } = contract
    const bad: readonly (readonly [string, string, RegExp])[] = [
      ['a.tool.json', '{"contract":', /a\.tool\.json.*line 1/s],
      ['b.tool.yaml', 'contract: {a: 1\n', /b\.tool\.yaml.*line/s],
      [
        'c.tool.json',
        JSON.stringify({ contract: incomplete, binding }),
        /c\.tool\.json#\/contract\/runtime: .*required/s,
      ],
      [
        'd.tool.json',
        JSON.stringify({ contract, binding: { ...binding, retires: 3 } }),
        /d\.tool\.json#\/binding\/retires: .*not a declared property/s,
      ],
      [
        'e.tool.json',
        JSON.stringify({ contract, binding: { ...binding, executor: { ...binding.executor, export: 'nothing' } } }),
        /e\.tool\.json#\/binding\/executor: .*no export nothing; it has run, state/s,
      ],
      [
        'f.tool.json',
        JSON.stringify({ contract, binding: { ...binding, executor: { ...binding.executor, module: './gone.mjs' } } }),
        /f\.tool\.json#\/binding\/executor: .*cannot be loaded/s,
      ],
    ]
    for (const [name, text, message] of bad) {
      const refused = await loadContracts(await write(name, text)).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(Fault)
      expect((refused as Fault).message).toMatch(message)
    }
    await expect(loadContracts('/nowhere/at/all')).rejects.toThrow('no such file or folder')
  })
})
