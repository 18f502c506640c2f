// The table of phases against the code: all that a phase can stop with stands in its row (bench-desk.ts checks every call that the
// pipeline tests make), and no row names what no code says.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { effects } from '../../src/contract/effects.ts'
import { mappableClasses } from '../../src/contract/taxonomy.ts'
import { defineTool } from '../../src/index.ts'
import { phases } from '../../src/pipeline/phases/phase-summary.ts'
import { approveAs, pinKeyOf } from '../people.ts'
import { classOf, context, counted, open, order, reasonOf } from './bench-desk.ts'

const root = new URL('../../', import.meta.url).pathname
const code = globSync('src/{pipeline,policy,execute}/**/*.ts', { cwd: root })
  .filter((file) => !file.includes('.test'))
  .map((file) => readFileSync(root + file, 'utf8').replaceAll(/stopsWith: \[.*\],|stopsWith: \[[\s\S]*?\n {2}\],/g, ''))
  .join('\n')

describe('the table of phases', () => {
  it.each(
    phases.flatMap((phase) =>
      phase.stops_with.flatMap(({ reasons }) => reasons.map((reason) => [phase.name, reason] as const)),
    ),
  )('names for %s only what some code says: %s [every-reason-is-declared] [TC-292]', (_, reason) => {
    expect(code).toContain(`'${reason}'`)
  })

  it('declares what an error mapping may make of a failed execution [every-reason-is-declared] [TC-270]', async () => {
    for (const name of mappableClasses) {
      const tool = counted('READ_ONLY', {
        errors: { odd: name },
        execute: () => {
          throw Object.assign(new Error('x'), { code: 'odd' })
        },
      })
      const answer = await (await open(tool.source)).call(order('c1'), context)
      expect(answer.observation.status.taxonomy_class).toBe(name)
    }
  })

  it('declares that what is served may not be what a person approved [every-reason-is-declared]', async () => {
    const entry = { name: 'search', inputSchema: { type: 'object' } }
    const tool = defineTool({
      name: 'search_v1',
      description: 'Searches.',
      effect: 'LOW_RISK_INTERNAL',
      input: { type: 'object', additionalProperties: false } as const,
      executor: {
        kind: 'fn',
        isolated: false,
        upstream: { source: 'shop', tool: 'search' },
        run: (_, { vet }) => vet?.({ ...entry, title: 'Changed since' }),
      },
    })
    const proviso = await open(tool)
    await proviso.drift.approve('shop', [entry], { credential: await pinKeyOf('ann') })
    const answer = await proviso.call({ tool: 'search_v1', arguments: {}, callId: 'c1' }, context)
    expect([classOf(answer), reasonOf(answer), answer.effect]).toEqual(['POLICY_VIOLATION', 'blocked_tool', 'none'])
  })

  it('runs every gate that an effect class requires, for a call of that class', async () => {
    for (const [name, row] of Object.entries(effects)) {
      if (row.durableLedger) continue
      const proviso = await open(counted(name as keyof typeof effects).source)
      const answer = await proviso.call(order('c1'), context)
      const asked = answer.approval?.id
      if (asked !== undefined) {
        await approveAs(proviso, asked, 'boss')
        await proviso.call(order('c1'), context)
      }
      const facts = await proviso.calls.facts(answer.observation.tool_identity.call_id)
      const ran = new Set(facts.map((fact) => fact.phase))
      for (const gate of row.gates) expect(ran).toContain(gate)
    }
  })
})
