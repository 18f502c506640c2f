import { describe, expect, it } from 'vitest'
import type { Binds } from '../binds.ts'
import { type BoundAnswer, type BoundCall, type BoundGroup, checkBound, type StoredCall } from './audit-calls.ts'
import { gatherFindings } from './audit-finding.ts'

const groupsOf = (...binds: readonly (Binds | undefined)[]): readonly BoundGroup[] =>
  binds.map((each, order) => ({ order, binds: each }))

const row = (body: string): StoredCall => ({ body, key: undefined, agrees: true, logged: true })

async function* stream<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function kindsOf(
  calls: readonly Pick<BoundCall, 'groups' | 'stored'>[],
  held: readonly Pick<BoundAnswer, 'groups' | 'digest' | 'logged'>[] = [],
  elsewhere: readonly string[] = [],
): Promise<readonly string[]> {
  const findings = gatherFindings(10)
  const named = { tenant: 'acme', callId: 'call' }
  await checkBound(
    {
      calls: stream([
        ...calls.map((call) => ({ ...named, ...call, keys: [], answers: [] })),
        ...held.map((answer) => ({
          ...named,
          groups: answer.groups,
          stored: undefined,
          keys: [],
          answers: [{ ...named, place: 'slot', slot: 's', ...answer }],
        })),
      ]),
      findBound: async (sought) => new Set(sought.filter(({ digest }) => elsewhere.includes(digest))),
    },
    findings,
  )
  return findings.list.map(({ kind }) => kind)
}

describe('a call', () => {
  it('is as its last record has left it, in the order of writing', async () => {
    const groups = groupsOf({ call: 'a' }, { answer: 'b' }, { call: 'c' }, { answer: 'd' })
    expect(await kindsOf([{ groups, stored: row('c') }])).toEqual([])
    expect(await kindsOf([{ groups: groups.toReversed(), stored: row('c') }])).toEqual([])
    for (const stored of [row('a'), row('d'), { ...row('c'), agrees: false }])
      expect(await kindsOf([{ groups, stored }])).toEqual(['call_edited'])
  })

  it('is missing where its facts say that there was a record', async () => {
    expect(await kindsOf([{ groups: groupsOf({ call: 'a' }), stored: undefined }])).toEqual(['call_missing'])
    expect(await kindsOf([{ groups: groupsOf({ answer: 'a' }, undefined), stored: undefined }])).toEqual([])
  })

  it('without facts was made by no call, unless the facts were retired', async () => {
    expect(await kindsOf([{ groups: [], stored: { ...row('a'), logged: false } }])).toEqual(['call_edited'])
    expect(await kindsOf([{ groups: [], stored: row('a') }])).toEqual([])
    expect(await kindsOf([{ groups: groupsOf(undefined), stored: row('a') }])).toEqual([])
  })
})

describe('an answer', () => {
  const answers = (digest: string, ...binds: readonly Binds[]) => [{ digest, groups: groupsOf(...binds), logged: true }]
  const settled = (answer: string) => ({ slot: 's', answer })

  it('is one that a settle brought, though not the last where that came late, or what it was amended to', async () => {
    expect(await kindsOf([], answers('a', settled('a')))).toEqual([])
    expect(await kindsOf([], answers('a', settled('a'), settled('late')))).toEqual([])
    const amended = [settled('a'), { slot: 's', amended: 'b' }, settled('late')]
    expect(await kindsOf([], answers('b', ...amended))).toEqual([])
    expect(await kindsOf([], answers('a', ...amended))).toEqual(['answer_edited'])
    expect(await kindsOf([], answers('a', { slot: 'another', answer: 'a' }))).toEqual(['answer_edited'])
  })

  it('may be that of a call which held the slot before', async () => {
    expect(await kindsOf([], answers('a', settled('b')), ['a'])).toEqual([])
    expect(await kindsOf([], answers('a', settled('b')), ['c'])).toEqual(['answer_edited'])
  })

  it('outlives the facts of a call that was retired', async () => {
    expect(await kindsOf([], [{ digest: 'a', groups: [], logged: true }])).toEqual([])
    expect(await kindsOf([], [{ digest: 'a', groups: [], logged: false }])).toEqual(['answer_edited'])
  })
})
