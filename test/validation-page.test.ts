// The page that says where, how deep and what happens: each row of its table against the pipeline, and against a call that breaks it.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { phases } from '../src/pipeline/phases/phase-summary.ts'
import { classOf, context, counted, open, order } from './pipeline/bench-desk.ts'
import { projectRoot } from './source-files.ts'

const page = readFileSync(`${projectRoot}docs/validation.md`, 'utf8')
const cells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
const [head, , ...body] =
  page
    .split('\n\n')
    .find((part) => part.startsWith('| where'))
    ?.split('\n') ?? []
const rows = body.map(cells).map(([phase = '', depth = '', what = '']) => ({ phase, depth, what }))

/** For each phase a call that it refuses, at the top and within. */
const breaking: Readonly<Record<string, readonly unknown[]>> = {
  parse: ['{"order_id":', '{"lines":[{"a":1,"a":2}]}'],
  structure: [{}, { order_id: 'o', lines: [{}] }],
  types: [{ order_id: 5 }, { order_id: 'o', lines: [{ count: 'many' }] }],
  constraints: [{ order_id: 'x'.repeat(50) }, { order_id: 'o', lines: [{ count: 0 }] }],
  semantics: [{ order_id: 'bad' }],
}

const input = {
  type: 'object',
  properties: {
    order_id: { type: 'string', maxLength: 40 },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { count: { type: 'integer', minimum: 1 } },
        required: ['count'],
        additionalProperties: false,
      },
    },
  },
  required: ['order_id'],
  additionalProperties: false,
}

it('says of every phase where arguments are judged, how deep, and what happens, and it is so [VD-01, VD-12, VD-13]', async () => {
  expect(cells(head ?? '')).toEqual(['where (phase)', 'how deep', 'what happens'])
  expect(rows.map(({ phase }) => phase)).toEqual(Object.keys(breaking).map((name) => `\`${name}\``))
  expect(page).toMatch(
    /## Where does validation happen\?[\s\S]*## How deep does it go\?[\s\S]*## What happens on failure\?/,
  )
  const rules = [{ id: 'no', when: 'args.order_id != "bad"', message: 'No.' }]
  const { source, seen } = counted('READ_ONLY', { input: input as never, rules })
  const proviso = await open(source)
  for (const { phase, depth, what } of rows) {
    const name = phase.replaceAll('`', '')
    const declared = phases.find((row) => row.name === name)?.stops_with.map((stop) => stop.class as string) ?? []
    const claimed = /`([A-Z_]+)`/.exec(what)?.[1] ?? ''
    expect([name, depth === '', declared.includes(claimed)]).toEqual([name, false, true])
    for (const [index, args] of (breaking[name] ?? []).entries()) {
      const answer = await proviso.call(order(`${name}-${index}`, args), context)
      expect([name, classOf(answer), answer.effect]).toEqual([name, claimed, 'none'])
      const facts = await proviso.calls.facts(answer.observation.tool_identity.call_id)
      expect(facts.findLast(({ verdict }) => verdict.kind === 'stop')?.phase).toBe(name)
    }
  }
  expect(seen).toEqual([])
})
