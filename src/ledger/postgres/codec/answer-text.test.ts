import { expect, test } from 'vitest'
import type { RecordedAnswer } from '../../../contract/call/answer.ts'
import { respond } from '../../../contract/call/respond.ts'
import { taxonomy } from '../../../contract/taxonomy.ts'
import { answerText, readAnswerText } from './answer-text.ts'

const plain: RecordedAnswer = {
  observation: {
    tool_identity: { name: 'book_items', version: '1.0.0', call_id: '01a1e303-6cf5-734a-bba1-a9906b2f876a' },
    execution_metadata: {
      timestamp: '2026-11-16T06:20:14.967Z',
      latency_ms: 2,
      idempotency_hit: false,
      trace_id: '01a1e3036cf5734abba1a9906b2f876a',
      attempt_number: 1,
    },
    status: {
      code: 200,
      is_error: false,
      taxonomy_class: 'SUCCESS',
      retryable: false,
      repairable: false,
      requires_approval: false,
      fail_closed: false,
    },
    result_payload: { data: { items: 1 }, errors: [], warnings: [] },
    verification: {
      post_action_verification_required: false,
      target_state_reference: null,
      expected_state: null,
      delay_seconds: 0,
    },
  },
  response: {
    error_code: 'SUCCESS',
    repairable: false,
    retryable: false,
    requires_approval: false,
    fail_closed: false,
    escalate: false,
    next_action: 'continue',
  },
  effect: 'happened',
}

const { observation, response } = plain
const { data } = observation.result_payload

test.each<[string, RecordedAnswer]>([
  ['without a value', plain],
  ['with its data as its value', { ...plain, value: data }],
  ['with another value', { ...plain, value: [1, null, 'two\n"'] }],
  ['with null as its value', { ...plain, value: null }],
  ['with a value like its data, and not the same', { ...plain, value: { items: 1 } }],
  ['with no effect', { ...plain, effect: 'none' }],
  [
    'with warnings and no data',
    {
      ...plain,
      observation: { ...observation, result_payload: { data: null, errors: [], warnings: ['deduplicated: \ud800'] } },
      value: 7,
    },
  ],
])('a plain success %s is short, and read as it was', (_, answer) => {
  const text = answerText(answer)
  expect(text.startsWith('[')).toBe(true)
  expect(readAnswerText(text)).toStrictEqual(answer)
})

test.each<[string, RecordedAnswer]>([
  ['another status', { ...plain, observation: { ...observation, status: { ...observation.status, code: 207 } } }],
  ['another response', { ...plain, response: { ...response, escalate: true } }],
  ['another advice', { ...plain, response: { ...response, next_action: 'accept_effect' } }],
  [
    'an effect to be read back',
    { ...plain, observation: { ...observation, verification: { ...observation.verification, delay_seconds: 3 } } },
  ],
  [
    'an error',
    {
      ...plain,
      observation: {
        ...observation,
        result_payload: {
          data,
          errors: [{ field: null, message: 'Some of it.', code: 'partial_effect' }],
          warnings: [],
        },
      },
    },
  ],
  [
    'a hit',
    {
      ...plain,
      observation: {
        ...observation,
        execution_metadata: { ...observation.execution_metadata, idempotency_hit: true },
      },
    },
  ],
])('an answer with %s is written whole, and read as it was', (_, answer) => {
  expect(answerText(answer)).toBe(JSON.stringify(answer))
  expect(readAnswerText(answerText(answer))).toStrictEqual(answer)
})

test('what was stored once is read for ever [stored-is-read-as-written] [EP-31]', () => {
  const stored =
    '["book_items","1.0.0","01a1e303-6cf5-734a-bba1-a9906b2f876a","2026-11-16T06:20:14.967Z",2,"01a1e3036cf5734abba1a9906b2f876a",1,"happened",[],{"items":1},"data"]'
  const answer: RecordedAnswer = { ...plain, value: data }
  expect(readAnswerText(stored)).toStrictEqual(answer)
  expect(answerText(answer)).toBe(stored)
  expect(stored.length).toBeLessThan(JSON.stringify(answer).length / 5)
})

test('a success of today is such a plain one', () => {
  expect(respond({ class: 'SUCCESS', reason: 'ok', effect: 'happened', errorContract: undefined })).toStrictEqual(
    response,
  )
  const { code, isError } = taxonomy.SUCCESS
  expect({ code, isError }).toStrictEqual({ code: observation.status.code, isError: observation.status.is_error })
})

test('an answer that has more than it should is written whole', () => {
  const more = { ...plain, response: { ...response, advice: 'none' } }
  expect(readAnswerText(answerText(more))).toStrictEqual(more)
})

const { fail_closed: _status, ...lessStatus } = observation.status
const { next_action: _response, ...lessResponse } = response
const { delay_seconds: _verification, ...lessVerification } = observation.verification

test.each<[string, object]>([
  ['status', { ...plain, observation: { ...observation, status: lessStatus } }],
  ['response', { ...plain, response: lessResponse }],
  ['verification', { ...plain, observation: { ...observation, verification: lessVerification } }],
])('an answer that lacks a field of its %s is read without it', (_, less) => {
  expect(readAnswerText(answerText(less as RecordedAnswer))).toStrictEqual(less)
})

test('a change to an answer that was read changes no other', () => {
  const text = answerText(plain)
  const read = readAnswerText(text)
  Object.assign(read.observation.status, { code: 500 })
  Object.assign(read.observation.verification, { delay_seconds: 3 })
  Object.assign(read.response, { escalate: true })
  expect(readAnswerText(text)).toStrictEqual(plain)
  expect(answerText(plain)).toBe(text)
})
