// Batches on Postgres, where calls are admitted on a guess and looked up where that was wrong: the same order, and one effect each.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkExecutions, executionOf } from '../../bench/batch/check-facts.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { classOf, context, counted, isReplay, open } from './bench-desk.ts'

let databases: Databases

beforeAll(async () => {
  databases = await startDatabases()
})

afterAll(async () => {
  await databases.end()
})

describe('a batch on a durable ledger', () => {
  it('keeps its order and has one effect for each operation, also when it is proposed again [batch-keeps-order] [concurrent-duplicates-once]', async () => {
    const execute = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return {}
    }
    const shared = { locks: ['/order_id'], execute }
    const write = counted('MEDIUM_RISK_WRITE', { name: 'write_v1', concurrent: true, ...shared })
    const read = counted('READ_ONLY', { name: 'read_v1', ...shared })
    const proviso = await open([write.source, read.source], { ledger: await postgres(await databases.fresh()) })
    const given = Array.from({ length: 60 }, (_, index) => ({
      tool: index % 3 === 0 ? 'write_v1' : 'read_v1',
      // Every fourth write is an earlier one once more.
      arguments: { order_id: `o-${index % 4}`, note: `n${index % 12 === 9 ? index - 9 : index}` },
      callId: `c${index}`,
    }))
    const answers = await proviso.callAll(given, context, { maxParallel: 16 })
    expect(new Set(answers.map(classOf))).toEqual(new Set(['SUCCESS']))
    const effects = new Set(
      given.flatMap(({ tool, arguments: args }) => (tool === 'write_v1' ? [JSON.stringify(args)] : [])),
    )
    expect(write.seen).toHaveLength(effects.size)
    const ids = answers.map(({ observation }) => observation.tool_identity.call_id)
    const facts = await Promise.all(ids.map((id) => proviso.calls.facts(id)))
    const findings = checkExecutions(facts.flatMap((of) => executionOf(of) ?? []))
    expect(findings).toMatchObject({ exclusivity_violations: 0, order_violations: 0 })
    const again = await proviso.callAll(given, context)
    expect(again.filter((_, index) => index % 3 === 0).every(isReplay)).toBe(true)
    expect(write.seen).toHaveLength(effects.size)
    await proviso.close()
  })
})
