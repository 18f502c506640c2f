// A saga that promises what its tools cannot keep is refused by the name of the contradiction; each is planted here once.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cancelOrderFile } from '../../src/cli/init/starter.ts'
import { sagaContradictions } from '../../src/execute/saga/saga-contradictions.ts'
import {
  defineTool,
  Fault,
  loadContracts,
  loadSagas,
  openProviso,
  type SagaDefinition,
  type SagaStep,
} from '../../src/index.ts'
import { ann, openTrip, trip, tripTools } from './trip.ts'

const input = { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false } as const
const base = { description: 'A step.', input, execute: () => ({}) }
const tools = [
  defineTool({ ...base, name: 'read', effect: 'READ_ONLY' }),
  defineTool({ ...base, name: 'write', effect: 'MEDIUM_RISK_WRITE' }),
  defineTool({ ...base, name: 'undo', effect: 'MEDIUM_RISK_WRITE' }),
  defineTool({ ...base, name: 'asked_undo', effect: 'MEDIUM_RISK_WRITE', confirm: true }),
  defineTool({ ...base, name: 'send', effect: 'HIGH_RISK_EXTERNAL', semantics: 'saga_step' }),
  defineTool({ ...base, name: 'final', effect: 'MEDIUM_RISK_WRITE', semantics: 'irreversible_pivot' }),
  defineTool({ ...base, name: 'loose', effect: 'EPHEMERAL_WRITE' }),
].map((tool) =>
  tool.contract.identity.name === 'loose'
    ? { ...tool, contract: { ...tool.contract, idempotency: { ...tool.contract.idempotency, supported: false } } }
    : tool,
)

const step = (id: string, tool: string, more: Partial<SagaStep> = {}): SagaStep => ({
  id,
  tool,
  arguments: {},
  ...more,
})
const undoneBy = (tool: string) => ({ compensate: { tool, arguments: {} } })
const saga = (...steps: SagaStep[]): SagaDefinition => ({
  name: 'planted',
  pivot: 'end',
  steps: [...steps, step('end', 'write')],
})

const planted: Readonly<Record<string, SagaDefinition>> = {
  'saga-bad-step-id': saga(step('end', 'read')),
  'saga-unknown-tool': saga(step('a', 'unknown')),
  'saga-without-pivot': { ...saga(), pivot: 'nowhere' },
  'saga-step-without-compensation': saga(step('a', 'write')),
  'saga-pivot-too-late': saga(step('a', 'final', undoneBy('undo'))),
  'saga-retried-without-idempotency': { ...saga(step('a', 'write'), step('b', 'loose')), pivot: 'a' },
  'saga-compensation-does-nothing': saga(step('a', 'write', undoneBy('read'))),
  'saga-compensation-not-covered': saga(step('a', 'write', undoneBy('asked_undo'))),
  'saga-compensation-less-verified': saga(step('a', 'send', undoneBy('undo'))),
  'saga-bad-reference': saga(step('a', 'read', { arguments: { id: { $from: '/results/end/id' } } })),
  'saga-bad-retry': saga(step('a', 'read', { retry: { attempts: 0 } })),
}

it.each(sagaContradictions.map(({ id }) => id))(
  'refuses %s by name [registration-refuses-by-name] [TC-206, TC-458]',
  async (id) => {
    const proviso = await openProviso({ tools })
    const definition = planted[id]
    if (definition === undefined) throw new Error(`Nothing is planted for ${id}.`)
    try {
      proviso.saga(definition)
      throw new Error('It was taken.')
    } catch (error) {
      expect(error).toBeInstanceOf(Fault)
      expect((error as Fault).details.map((text) => text.split(' ')[0])).toContain(id)
    }
    await proviso.close()
  },
)

it('takes a saga without contradictions, and one that only reads before its pivot', async () => {
  const proviso = await openProviso({ tools })
  expect(proviso.saga(saga(step('a', 'write', undoneBy('undo')))).hash).toMatch(/^[0-9a-f]{64}$/)
  expect(proviso.saga(saga(step('a', 'read'))).name).toBe('planted')
  await proviso.close()
})

it('gives different definitions different hashes, and code its own unless a version vouches for it', async () => {
  const { proviso } = await openTrip()
  const made = (text: string) => ({
    ...trip,
    steps: trip.steps.map((one, index) => (index === 0 ? { ...one, arguments: () => ({ trip: text }) } : one)),
  })
  const other = { ...trip, steps: trip.steps.slice(0, 4) }
  expect(proviso.saga(trip).hash).toBe(proviso.saga({ ...trip }).hash)
  expect(proviso.saga(other).hash).not.toBe(proviso.saga(trip).hash)
  expect(proviso.saga(made('a')).hash).not.toBe(proviso.saga(trip).hash)
  expect(proviso.saga({ ...made('a'), version: '1' }).hash).toBe(proviso.saga({ ...made('b'), version: '1' }).hash)
  await proviso.close()
})

it('reads sagas from files, runs them, and refuses a wrong one with the place [tool-files-load]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proviso-sagas-'))
  const file = join(folder, 'trip.saga.yaml')
  await writeFile(
    file,
    `name: trip
pivot: pay
steps:
  - { id: hotel, tool: hotel, arguments: { trip: { $from: /input/id } } }
  - id: pay
    tool: payment
    arguments: { trip: { $from: /input/id }, booking: { $from: /results/hotel/booking } }
    retry: { attempts: 2, first_pause_seconds: 0.1 }
`,
  )
  const sagas = await loadSagas(folder)
  const world = { done: [], troubles: new Map(), unseen: new Set<string>() }
  const proviso = await openProviso({ tools: tripTools(world), sagas })
  const [definition] = sagas
  if (definition === undefined) throw new Error('Nothing was loaded.')
  expect((await proviso.saga(definition).start({ id: 't1' }, ann)).state).toBe('COMPLETED')
  expect(world.done).toEqual(['hotel', 'payment hotel-of-t1'])
  await proviso.close()
  await writeFile(file, 'name: trip\npivot: pay\nsteps:\n  - { id: hotel, tool: 7, arguments: {} }\n')
  await expect(loadSagas(folder)).rejects.toThrow(/trip\.saga\.yaml#\/steps\/0\/tool/)
  await rm(folder, { recursive: true })
})

it('takes what undoes a tool from its file, as a template and as code [tool-files-load]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proviso-tools-'))
  const file = (name: string, compensation: string) =>
    writeFile(
      join(folder, `${name}.tool.yaml`),
      cancelOrderFile
        .replace('name: cancel_order_v1', `name: ${name}`)
        .replace('compensation_tool: null', 'compensation_tool: reopen_order_v1')
        .replace(/ {2}state: .*\n/, `  compensation: ${compensation}\n`),
    )
  await writeFile(
    join(folder, 'orders.mjs'),
    'export const cancelOrder = () => ({})\nexport const reopening = (args, result) => ({ order_id: args.order_id, seen: result.version })\n',
  )
  await file('a_v1', '{ arguments: { order_id: { $from: /arguments/order_id } } }')
  await file('b_v1', '{ module: ./orders.mjs, export: reopening }')
  const [template, code] = await loadContracts(folder)
  expect(template?.binding.compensation?.arguments).toEqual({ order_id: { $from: '/arguments/order_id' } })
  const made = code?.binding.compensation?.arguments
  const done = { arguments: { order_id: 'o1' }, result: { version: 3 } }
  expect(typeof made === 'function' && made(done, {}, {})).toEqual({ order_id: 'o1', seen: 3 })
  await rm(folder, { recursive: true })
})
