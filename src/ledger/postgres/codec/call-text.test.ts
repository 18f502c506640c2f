import { expect, test } from 'vitest'
import type { EpochMs } from '../../../json/clock.ts'
import type { CallRecord } from '../../ports/calls.ts'
import { callText, readCallText } from './call-text.ts'

const plain: CallRecord = {
  id: '01a1e303-6cf5-734a-bba1-a9906b2f876a',
  key: { tenant: 'acme', run: 'run-1', providerCallId: 'call_29', tool: 'book_items', inputHash: '7061' },
  workflow: undefined,
  traceId: '01a1e3036cf5734abba1a9906b2f876a',
  principal: { user: 'ann', roles: ['clerk'], scopes: [], agent: undefined },
  operationId: undefined,
  version: '1.0.0',
  contractHash: '64bc',
  terms: { promise: { kind: 'at_most_once' }, sensitive: [] },
  argumentText: '{"order":"ord_1\\n"}',
  source: 'text',
  startedAt: 1_794_810_014_965 as EpochMs,
  passes: 1,
  status: 'RUNNING',
  effect: 'unknown',
  latencyMs: 0,
  hookOutputs: undefined,
  permissionInput: undefined,
  callInput: undefined,
  mutations: [],
  tenantNamed: true,
  refusal: undefined,
  surfaceEntry: undefined,
  told: undefined,
}

const { terms: _, ...withoutTerms } = plain

test.each<[string, CallRecord]>([
  ['as most are', plain],
  [
    'of a caller without a name, outside of any run',
    {
      ...withoutTerms,
      key: { ...plain.key, run: undefined, providerCallId: undefined },
      principal: { user: undefined, roles: [], scopes: ['orders:write'], agent: 'night\u0000desk' },
      source: 'parsed',
      tenantNamed: false,
    },
  ],
  ['with empty names', { ...plain, key: { ...plain.key, run: '', providerCallId: '' }, traceId: '' }],
])('a plain record %s is short, and read as it was', (_, call) => {
  const text = callText(call)
  expect(text.startsWith('[')).toBe(true)
  expect(text.includes('\n')).toBe(false)
  expect(text.length).toBeLessThan(JSON.stringify(call).length)
  expect(readCallText(text)).toStrictEqual(call)
})

type Written = 'key' | 'principal' | 'terms' | 'argumentText' | 'source' | 'tenantNamed'
type Names = 'id' | 'traceId' | 'version' | 'contractHash' | 'startedAt'

/** Of all that is not written by its place, something that is not usual. */
const own: Required<Omit<CallRecord, Written | Names>> = {
  workflow: 'billing',
  operationId: 'op-1',
  saga: { id: 'saga-1', step: 'charge', direction: 'forward', round: 1 },
  passes: 2,
  status: 'SUCCESS',
  effect: 'happened',
  latencyMs: 3,
  hookOutputs: [],
  permissionInput: {},
  callInput: { order: 'ord_2' },
  mutations: [{ by: 'hook/trim', reason: 'space', fields: ['$.order'], fromHash: '70', toHash: '71' }],
  refusal: { code: 'syntax', message: 'No.', line: 1, column: 1, pointer: '' },
  surfaceEntry: { status: 'deferred', reason: 'deferred_until_discovered', note: '' },
  told: { errors: [], warnings: ['w'] },
  verification: {
    execution: 'COMMITTED',
    state: 'PENDING',
    reconciliation: 'NOT_STARTED',
    discrepancy: null,
    trust: 1,
    action: 'poll',
    message: 'Not yet.',
    target: null,
    unmet: [],
    unexpected: [],
    reads: 1,
    due: null,
  },
}

test.each(Object.entries(own))('a record with its own %s is written whole, and read as it was', (name, value) => {
  const call: CallRecord = { ...plain, [name]: value }
  expect(callText(call)).toBe(JSON.stringify(call))
  expect(readCallText(callText(call))).toEqual(call)
})

test('what was stored once is read for ever [stored-is-read-as-written]', () => {
  const stored =
    '["01a1e303-6cf5-734a-bba1-a9906b2f876a","acme","run-1","call_29","book_items","7061","01a1e3036cf5734abba1a9906b2f876a","ann",["clerk"],[],null,"1.0.0","64bc",{"promise":{"kind":"at_most_once"},"sensitive":[]},"{\\"order\\":\\"ord_1\\\\n\\"}","text",1794810014965,true]'
  expect(readCallText(stored)).toStrictEqual(plain)
  expect(callText(plain)).toBe(stored)
})
