// Random expressions over a fixed schema, with arguments for them: what the tests of agreement and of bounds feed on.
import fc from 'fast-check'
import type { JsonObject } from '../../src/json/value.ts'
import { form } from './rule-fixture.ts'

export const randomInput = form({
  type: 'object',
  additionalProperties: false,
  required: ['i', 'j', 'd', 's', 't', 'flag', 'ints', 'rows', 'map'],
  properties: {
    i: { type: 'integer' },
    j: { type: 'integer' },
    d: { type: 'number' },
    s: { type: 'string', maxLength: 10 },
    t: { type: 'string', maxLength: 10 },
    flag: { type: 'boolean' },
    ints: { type: 'array', maxItems: 4, items: { type: 'integer' } },
    rows: {
      type: 'array',
      maxItems: 3,
      items: {
        type: 'object',
        required: ['n', 's'],
        properties: { n: { type: 'integer' }, s: { type: 'string', maxLength: 5 } },
      },
    },
    map: {
      type: 'object',
      maxProperties: 3,
      propertyNames: { maxLength: 3 },
      additionalProperties: { type: 'integer' },
    },
    o: { type: 'integer' },
    p: { type: 'string', maxLength: 10 },
  },
})

const small = fc.integer({ min: -4, max: 6 })
const word = fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'A', 'é', 'a b')
export const randomArgs: fc.Arbitrary<JsonObject> = fc.record(
  {
    i: small,
    j: small,
    d: fc.constantFrom(-1.5, 0, 0.25, 1, 2, 3.5),
    s: word,
    t: word,
    flag: fc.boolean(),
    ints: fc.array(small, { maxLength: 4 }),
    rows: fc.array(fc.record({ n: small, s: word }), { maxLength: 3 }),
    map: fc.dictionary(fc.constantFrom('a', 'b', 'ab'), small, { maxKeys: 3 }),
    o: small,
    p: word,
  },
  { requiredKeys: ['i', 'j', 'd', 's', 't', 'flag', 'ints', 'rows', 'map'] },
)

type Source = fc.Arbitrary<string>

/** Conditions that may or may not prove that `args.o` is there, before and around a use of it. */
const guards = fc.letrec<{ guard: string }>((tie) => ({
  guard: fc.oneof(
    { maxDepth: 3, depthSize: 'medium' },
    fc.constantFrom('has(args.o)', '"o" in args', 'args.flag', 'args.i > 0', '6 / args.i > 1'),
    tie('guard').map((one) => `!(${one})`),
    fc.tuple(tie('guard'), fc.constantFrom('&&', '||'), tie('guard')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie('guard'), tie('guard'), tie('guard')).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
  ),
})).guard

const guardedUse: Source = fc.oneof(
  fc.tuple(guards, fc.constantFrom('&&', '||')).map(([guard, op]) => `(${guard} ${op} args.o > 1)`),
  fc
    .tuple(guards, fc.boolean())
    .map(([guard, met]) => `(${guard} ? ${met ? 'args.o > 1 : false' : 'true : args.o > 1'})`),
)

/** Expressions by type. `x` stands for an integer and `r` for a row inside the macros that bind them. */
function grammar(
  depth: number,
  integers: readonly string[],
  texts: readonly string[],
  optional: boolean,
): { bool: Source; int: Source; text: Source } {
  const literal = small.map((value) => (value < 0 ? `(${value})` : String(value)))
  const quoted = word.map((value) => JSON.stringify(value))
  const [leafInt, leafText] = [fc.constantFrom(...integers), fc.constantFrom(...texts)]
  const guarded = optional
    ? ['has(args.o)', 'has(args.p)', '(has(args.o) && args.o > 1)', '(!has(args.p) || args.p != "a")']
    : []
  const failing = ['6 / args.i > 1', 'args.ints[args.j] > 0']
  const plain = ['args.flag', 'true', 'false', 'args.i == args.d', 'args.d > 1', 'args.d * 2.0 <= 3.0']
  const leafBool = fc.oneof(fc.constantFrom(...plain, ...failing, ...guarded), ...(optional ? [guardedUse] : []))
  if (depth === 0) return { bool: leafBool, int: fc.oneof(leafInt, literal), text: fc.oneof(leafText, quoted) }
  const inner = grammar(depth - 1, integers, texts, optional)
  const looping = grammar(depth - 1, [...integers, 'x'], texts, optional)
  const rowing = grammar(depth - 1, [...integers, 'r.n'], [...texts, 'r.s'], optional)
  const keyed = grammar(depth - 1, [...integers, 'args.map[k]'], [...texts, 'k'], optional)
  const joined = (left: Source, ops: readonly string[], right: Source) =>
    fc.tuple(left, fc.constantFrom(...ops), right).map(([a, op, b]) => `(${a} ${op} ${b})`)
  const quantifier = (list: string, variable: string, body: Source) =>
    fc
      .tuple(fc.constantFrom('all', 'exists', 'exists_one'), body)
      .map(([name, text]) => `${list}.${name}(${variable}, ${text})`)
  const bool = fc.oneof(
    leafBool,
    joined(inner.bool, ['&&', '||'], inner.bool),
    inner.bool.map((one) => `!${one.startsWith('(') || /^\w+$/.test(one) ? one : `(${one})`}`),
    joined(leafInt, ['==', '!=', '<', '<=', '>', '>='], inner.int),
    joined(leafText, ['==', '!=', '<', '<=', '>', '>='], inner.text),
    joined(
      leafInt,
      ['in'],
      fc.constantFrom('args.ints', '[1, 2, 3]', 'args.rows.map(r, r.n)', 'args.ints.filter(x, x > 0)'),
    ),
    joined(leafText, ['in'], fc.constantFrom('args.map', '["a", "ab"]', 'args.rows.map(r, r.s)')),
    quantifier('args.ints', 'x', looping.bool),
    quantifier('args.rows', 'r', rowing.bool),
    quantifier('args.map', 'k', keyed.bool),
    fc
      .tuple(leafText, fc.constantFrom('startsWith', 'endsWith', 'contains'), inner.text)
      .map(([a, name, b]) => `${a}.${name}(${b})`),
    fc
      .tuple(leafText, fc.constantFrom('a', '^a', 'b$', '^(a|b)*$'))
      .map(([a, pattern]) => `${a}.matches("${pattern}")`),
    fc.tuple(inner.bool, inner.bool, inner.bool).map(([c, a, b]) => `((${c}) ? (${a}) : (${b}))`),
  )
  const int = fc.oneof(
    leafInt,
    literal,
    joined(leafInt, ['+', '-', '*', '/', '%'], inner.int),
    fc.constantFrom('size(args.ints)', 'args.s.size()', 'args.map.size()', 'size(args.rows)', '-args.i'),
    fc.tuple(inner.bool, leafInt, leafInt).map(([c, a, b]) => `((${c}) ? ${a} : ${b})`),
    looping.bool.map((body) => `args.ints.filter(x, ${body}).size()`),
    looping.int.map((body) => `args.ints.map(x, ${body}).size()`),
    inner.int.map((index) => `args.ints[${/^\(?-?\d+\)?$/.test(index) ? 'args.i' : index}]`),
  )
  const text = fc.oneof(leafText, quoted, joined(leafText, ['+'], inner.text))
  return { bool, int, text }
}

const integers = ['args.i', 'args.j']
const texts = ['args.s', 'args.t']

/** With `optional`, members that may be absent are read too: behind guards, and where no guard can be seen. */
export function randomRule(optional: boolean): Source {
  return grammar(3, optional ? [...integers, 'args.o'] : integers, texts, optional).bool
}
