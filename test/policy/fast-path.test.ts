// A write of a run that carries nothing asks the ledger nothing before its admission; one that carries something is looked up once.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Ledger, openProviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { classOf, context, counted, order } from '../pipeline/bench-desk.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
}, 60_000)
afterAll(() => databases.end(), 60_000)

const watchedOperations = ['lookUp', 'slot', 'admit', 'record'] as const
const watchedRuns = ['labels', 'addLabels'] as const

function watch(ledger: Ledger): { readonly ledger: Ledger; readonly asked: string[] } {
  const asked: string[] = []
  const spied = <P extends object>(part: P, names: readonly (keyof P & string)[]): P => {
    const methods = names.map((name) => [
      name,
      (...given: never[]) => {
        asked.push(name)
        return (part[name] as (...given: never[]) => unknown)(...given)
      },
    ])
    return { ...part, ...Object.fromEntries(methods) }
  }
  const operations = spied(ledger.operations, watchedOperations)
  return { ledger: { ...ledger, operations, runs: spied(ledger.runs, watchedRuns) }, asked }
}

it('asks no more of the ledger than it must [stale-labels-admit-nothing]', async () => {
  const { ledger, asked } = watch(await postgres(await databases.fresh(), { connections: 3 }))
  const tool = counted('MEDIUM_RISK_WRITE')
  const web = counted('READ_ONLY', { name: 'read_web_v1', trusted: false })
  const proviso = await openProviso({ ledger, tools: [tool.source, web.source] })
  const write = async (id: string) => classOf(await proviso.call(order(id, { order_id: id }), context))
  expect([await write('a'), asked.splice(0)]).toEqual(['SUCCESS', ['admit', 'record']])
  expect([await write('b'), asked.splice(0)]).toEqual(['SUCCESS', ['admit', 'record']])
  const read = () => proviso.call({ tool: 'read_web_v1', arguments: { order_id: 'x' } }, context)
  await read()
  expect(asked.splice(0).toSorted()).toEqual(['addLabels', 'admit', 'record'])
  await read()
  expect(asked.splice(0)).toEqual(['admit', 'record'])
  expect([await write('c'), asked.splice(0)]).toEqual(['CONFIRMATION_MISSING', ['lookUp', 'record']])
  // Another process has set the label of this run: the admission finds out, and the call is looked up.
  await ledger.runs.addLabels('acme', 'run-2', ['untrusted'])
  asked.splice(0)
  const answer = await proviso.call(order('d', { order_id: 'd' }), { ...context, run: 'run-2' })
  expect([classOf(answer), asked.splice(0)]).toEqual(['CONFIRMATION_MISSING', ['admit', 'lookUp', 'record']])
  expect(tool.seen).toHaveLength(2)
  await proviso.close()
})
