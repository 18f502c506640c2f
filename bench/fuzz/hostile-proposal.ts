// What does not even have the shape of a call: tool names that hit prototypes, objects that fight back when they are read.
import type { JsonObject } from '../../src/json/value.ts'
import type { Random } from './random.ts'

const names: readonly unknown[] = [
  '',
  ' ',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'file_ticket',
  'File_Tickets',
  'functions.file_tickets',
  'file-tickets',
  'file_tickets\u0000',
  '\ud800',
  '../file_tickets',
  '日本語',
  '<script>',
  'x'.repeat(1_000_000),
  '_.-'.repeat(300_000),
  '.:/__'.repeat(100_000),
  undefined,
  null,
  0,
  1n,
  Number.NaN,
  true,
  {},
  [],
  ['file_tickets'],
  Symbol('tool'),
  () => 'file_tickets',
  { toString: () => 'file_tickets' },
  new String('file_tickets'),
]

export function hostileName(random: Random): unknown {
  return random.pick(names)
}

/** Arguments that an SDK handed over as an object, of a kind that no JSON text can produce. */
export function hostileArguments(example: JsonObject, random: Random): unknown {
  const key = Object.keys(example)[0] ?? 'a'
  return random.pick<() => unknown>([
    () => Object.assign(Object.create({ inherited: 1 }) as object, example),
    () => Object.assign(Object.create(null) as object, example),
    () => ({ ...example, [key]: new Date(0) }),
    () => ({ ...example, [key]: 10n }),
    () => ({ ...example, [key]: Symbol('x') }),
    () => ({ ...example, [key]: () => 1 }),
    () => ({ ...example, [key]: undefined }),
    () => ({ ...example, [key]: Number.NaN }),
    () => ({ ...example, [key]: Number.POSITIVE_INFINITY }),
    () => ({ ...example, [key]: new Map([[1, 2]]) }),
    () => ({ ...example, toJSON: () => ({ ...example, [key]: 'changed' }) }),
    () =>
      Object.defineProperty({ ...example }, key, {
        enumerable: true,
        get: () => {
          throw new Error('read')
        },
      }),
    () => flickering(example, key),
    () =>
      new Proxy(
        { ...example },
        {
          ownKeys: () => {
            throw new Error('keys')
          },
        },
      ),
    () => new Proxy({ ...example }, { get: () => 'lie' }),
    () => cyclic(example, key),
    () => nested(10_000),
    () => ({ ...example, [key]: Object.assign([1, 2], { 5: 1 }) }),
    () =>
      new (class Arguments {
        readonly a = 1
      })(),
    () => Buffer.from('{}'),
    () => Object.defineProperty({ ...example }, '__proto__', { value: { admin: true }, enumerable: true }),
    () => ({ ...example, [Symbol('s')]: 1 }),
  ])()
}

/** Another value at every reading: what is validated must be what is executed. */
function flickering(example: JsonObject, key: string): object {
  let reads = 0
  return Object.defineProperty({ ...example }, key, {
    enumerable: true,
    get: () => (reads++ === 0 ? example[key] : { reads }),
  })
}

function cyclic(example: JsonObject, key: string): object {
  const whole: Record<string, unknown> = { ...example }
  whole[key] = [whole]
  return whole
}

function nested(depth: number): object {
  let inner: object = {}
  for (let level = 0; level < depth; level++) inner = { a: inner }
  return inner
}
