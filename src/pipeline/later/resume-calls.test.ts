import { expect, test } from 'vitest'
import type { Answer } from '../../contract/call/answer.ts'
import { manualClock } from '../../json/clock.ts'
import { memory } from '../../ledger/memory/memory.ts'
import type { CallRecord } from '../../ledger/ports/calls.ts'
import { createResumer } from './resume-calls.ts'

const approved = ['stays', 'fails', 'foreign']

const recordOf = (id: string) =>
  ({
    id,
    key: { tenant: 'acme', run: 'run-1', providerCallId: id, tool: 'pay', inputHash: 'h' },
    principal: { user: 'ann', roles: [], scopes: [], agent: undefined },
    contractHash: id === 'foreign' ? 'unknown here' : 'known',
    argumentText: '{}',
    mutations: [],
    traceId: 't',
  }) as unknown as CallRecord

test('a call that its approval does not bring to its end is tried ever more seldom, and keeps no other call waiting', async () => {
  const clock = manualClock()
  const kept = memory({ clock })
  const tried: string[] = []
  const faults: unknown[] = []
  const { resumeApproved } = createResumer({
    ledger: {
      ...kept,
      approvals: { ...kept.approvals, resumable: () => approved },
      calls: { ...kept.calls, get: (id) => recordOf(id) },
    },
    clock,
    principals: undefined,
    hasTool: (hash) => hash === 'known',
    async call({ callId }) {
      tried.push(callId ?? '')
      if (callId === 'fails') throw new Error('no ledger')
      return {} as Answer
    },
    report: (fault) => faults.push(fault),
  })
  const sweepFor = async (seconds: number) => {
    tried.length = 0
    for (let second = 0; second < seconds; second++) {
      await Promise.all([resumeApproved(), resumeApproved()])
      clock.advance(1_000)
    }
    return tried.filter((id) => id === 'stays').length
  }
  expect(await sweepFor(1)).toBe(1)
  expect(tried).toEqual(['stays', 'fails'])
  expect(faults).toHaveLength(1)
  // After 1 s, 4 s, 16 s, 64 s, 256 s and then every ten minutes.
  expect(await sweepFor(84)).toBe(3)
  expect(await sweepFor(3_600)).toBeLessThan(10)
})
