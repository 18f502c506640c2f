// Texts meant to hurt by their size or depth: nested beyond any stack, ten megabytes of brackets, one field of a megabyte.
import type { JsonObject } from '../../src/json/value.ts'
import type { Random } from './random.ts'

/** Nested, cheap to make: used often. */
export function deepText(random: Random): string {
  const depth = random.pick([5, 50, 126, 127, 128, 129, 500, 1_000, 1_001, 5_000, 20_000])
  return random.pick([
    () => `${'['.repeat(depth)}${']'.repeat(depth)}`,
    () => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    () => `{"root":${'{"label":"a","children":['.repeat(depth)}${']}'.repeat(depth)}}`,
    () => `{"where":${'{"op":"not","test":'.repeat(depth)}{"op":"eq","field":"a","to":1}${'}'.repeat(depth)}}`,
    () => '['.repeat(depth),
    () => '{"a":'.repeat(depth),
  ])()
}

/** Just below the limit of one megabyte: everything is read and judged. */
export function largeText(example: JsonObject, random: Random): string {
  const key = Object.keys(example)[0] ?? 'a'
  const body = random.pick([
    () => JSON.stringify('x'.repeat(900_000)),
    () => JSON.stringify('é😀'.repeat(100_000)),
    () => `[${'1,'.repeat(400_000)}1]`,
    () => `[${'{},'.repeat(250_000)}{}]`,
    () => `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
    () => `"${'\\u0041'.repeat(150_000)}"`,
    () => `[${'['.repeat(100)}${']'.repeat(100)}${',"aaaaaaaaaaaa"'.repeat(60_000)}]`,
    () => JSON.stringify(`${'A'.repeat(500_000)}!`),
  ])()
  return JSON.stringify({ ...example, [key]: 0 }).replace(
    `${JSON.stringify(key)}:0`,
    () => `${JSON.stringify(key)}:${body}`,
  )
}

const tenMegabytes = 10 * 1024 * 1024

export function hugeText(random: Random): string {
  return random
    .pick(['[', '{', '"', '[]', '{"a":', ' ', '\u0000', '9', '😀', '[1,'])
    .repeat(tenMegabytes)
    .slice(0, tenMegabytes)
}
