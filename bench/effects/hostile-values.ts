// Values of every shape that code of the host may return or throw, some of them made to be read twice with two answers.
import { ToolError } from '../../src/index.ts'

export interface NamedValue {
  readonly name: string
  /** Made anew for each use: some of them change when they are read. */
  make(): unknown
}

const named = (name: string, make: () => unknown): NamedValue => ({ name, make })

/** Gives the first value when it is first read, and the second one from then on. */
function turning(first: unknown, second: unknown): () => unknown {
  let reads = 0
  return () => (reads++ === 0 ? first : second)
}

const throwing = () => {
  throw new Error('not to be read')
}

const everyTrap = (target: object, act: () => never) =>
  new Proxy(target, {
    get: act,
    has: act,
    ownKeys: act,
    getPrototypeOf: act,
    getOwnPropertyDescriptor: act,
  })

/** No ToolError: nothing of what they say is believed. */
export const strangeThings: readonly NamedValue[] = [
  named('undefined', () => undefined),
  named('null', () => null),
  named('a text', () => 'none'),
  named('a number', () => Number.NaN),
  named('a bigint', () => 1n),
  named('a symbol', () => Symbol('none')),
  named('a function', () => () => 'none'),
  named('an error', () => new Error('none')),
  named('an error with a status of 404', () =>
    Object.assign(new Error('x'), { status: 404, statusCode: 404, code: 'ECONNREFUSED' }),
  ),
  named('an object that looks like a ToolError', () => ({
    name: 'ToolError',
    code: 'x',
    effect: 'none',
    message: 'x',
  })),
  named('an error that looks like a ToolError', () =>
    Object.assign(new Error('x'), { name: 'ToolError', code: 'withheld', effect: 'none' }),
  ),
  named('an AbortError', () => new DOMException('x', 'AbortError')),
  named('an AggregateError', () => new AggregateError([new ToolError('x', 'x', { effect: 'none' })])),
  named('an error caused by a ToolError', () => new Error('x', { cause: new ToolError('x', 'x', { effect: 'none' }) })),
  named('a frozen object', () => Object.freeze({ effect: 'none' })),
  named('an object without a prototype', () => Object.assign(Object.create(null), { effect: 'none' })),
  named('getters that throw', () =>
    Object.defineProperties({}, { code: { get: throwing }, message: { get: throwing }, effect: { get: throwing } }),
  ),
  named('a proxy that throws', () => everyTrap({}, throwing)),
  named('a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  }),
  named('an object that contains itself', () => {
    const loop: { self?: unknown } = {}
    loop.self = loop
    return loop
  }),
]

const wrongly = (name: string, fields: () => PropertyDescriptorMap): NamedValue =>
  named(name, () => Object.defineProperties(new ToolError('x', 'x', { effect: 'unknown' }), fields()))

/** ToolErrors of which nothing certain is said. */
export const doubtfulErrors: readonly NamedValue[] = [
  named('a ToolError that says nothing', () => new ToolError('x', 'x')),
  named('one that says unknown', () => new ToolError('x', 'x', { effect: 'unknown', class: 'RATE_LIMITED' })),
  named('one with another word', () => new ToolError('x', 'x', { effect: 'NONE' as 'none' })),
  named(
    'one with an object for a word',
    () => new ToolError('x', 'x', { effect: { toString: () => 'none' } as unknown as 'none' }),
  ),
  wrongly('one whose effect cannot be read', () => ({ effect: { get: throwing } })),
  wrongly('one whose code cannot be read', () => ({ code: { get: throwing } })),
  wrongly('one whose message cannot be read', () => ({ message: { get: throwing } })),
  wrongly('one whose class cannot be read', () => ({ class: { get: throwing } })),
  wrongly('one whose pause cannot be read', () => ({ retryAfterMs: { get: throwing } })),
  wrongly('one whose effect turns from unknown to none', () => ({ effect: { get: turning('unknown', 'none') } })),
  wrongly('one whose effect turns from happened to nothing', () => ({ effect: { get: turning('maybe', 'happened') } })),
  wrongly('one with a code of 404', () => ({ code: { value: 404 } })),
  named('a proxy of one that throws', () => new Proxy(new ToolError('x', 'x', { effect: 'none' }), { get: throwing })),
]

/** What a function may return; a JSON result cannot be made of all of them. */
export const strangeResults: readonly NamedValue[] = [
  ...strangeThings,
  named('an error that was returned', () => new ToolError('x', 'x', { effect: 'none' })),
  named('an observation of its own', () => ({ effect: 'none', status: 404, isError: true, observation: {} })),
  named('a date', () => new Date(0)),
  named('no date', () => new Date(Number.NaN)),
  named('a map', () => new Map([['a', 1]])),
  named('bytes', () => Buffer.from('none')),
  named('a hole in a list', () => new Array(3)),
  named('depth', () => Array.from({ length: 1_000 }).reduce((inner) => [inner], [] as unknown)),
  named('half of a pair of surrogates', () => '\ud800'),
  named('the key __proto__', () => JSON.parse('{"__proto__":{"effect":"none"}}')),
  named('a toJSON that throws', () => ({ toJSON: throwing })),
  named('a toJSON that turns', () => ({ toJSON: turning({ a: 1 }, undefined) })),
  named('a getter that turns', () => Object.defineProperty({}, 'a', { get: turning(1, throwing), enumerable: true })),
]
