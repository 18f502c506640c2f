import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDocument } from './read-document.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proviso-yaml-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function read(text: string): Promise<unknown> {
  const file = join(folder, 'one.yaml')
  await writeFile(file, text)
  const parsed = await readDocument(file)
  return parsed.ok ? parsed.value : parsed.problems.map(({ message }) => message).join(' ')
}

describe('a YAML file', () => {
  it.each([
    ['a key twice', 'a: 1\na: 2'],
    ['a key twice, once by an alias', '- &k a\n- a: 1\n  *k : 2'],
    ['a key by an alias alone', '- &k a\n- *k : 2'],
    ['a number and the same as text', '1: a\n"1": b'],
    ['a number in two spellings', '16: a\n0x10: b'],
    ['a fraction in two spellings', '1.0: a\n1: b'],
    ['a truth value and the same as text', 'true: a\n"true": b'],
    ['nothing as a key, and the empty text', '"": a\n? \n: b'],
    ['nothing as a key', '? ~\n: b'],
    ['a list as a key', '? [a, b]\n: c'],
    ['an object as a key', '? {a: b}\n: c'],
    ['a key twice in flow style', '{a: 1, "a": 2}'],
    ['merge keys of an earlier version', '%YAML 1.1\n---\nbase: &b {a: 1}\nuse: {<<: *b}'],
    ['an earlier version', '%YAML 1.1\n---\na: yes'],
    ['a later version', '%YAML 1.3\n---\na: yes'],
    ['a merge key by its tag', 'base: &b {a: 1}\nuse: {!!merge <<: *b}'],
    ['a tag that it does not know', 'a: !!set {b}'],
    ['a tag of its own', 'a: !secret b'],
    ['two documents', 'a: 1\n---\nb: 2'],
  ])('is refused with %s [yaml-says-one-thing]', async (_what, text) => {
    expect(await read(text)).toBeTypeOf('string')
  })

  it('says what its keys and values are, as version 1.2 reads them', async () => {
    expect(await read('%YAML 1.2\n---\na: yes\nb: &x [1, 0x10]\nc: *x\n"<<": 1\n1: 2\n!!str true: 3')).toEqual({
      a: 'yes',
      b: [1, 16],
      c: [1, 16],
      '<<': 1,
      '1': 2,
      true: 3,
    })
  })

  it.each([
    ['keys', (n: number) => Array.from({ length: n }, (_, at) => `k${at}: 1`).join('\n')],
    ['keys in flow style', (n: number) => `{${Array.from({ length: n }, (_, at) => `k${at}: 1`).join(', ')}}`],
    ['anchors', (n: number) => `${list(n, (at) => `&a${at} x`)}\n${list(n, (at) => `*a${at}`)}`],
    ['anchors in one another', (n: number) => '- &a '.repeat(n)],
    ['tags in one another', (n: number) => '- !a '.repeat(n)],
    ['numbers that cannot be held', (n: number) => list(n, () => '9007199254740993')],
  ])('with 40,000 %s takes no more time than as many lines [yaml-in-linear-time]', async (_what, make) => {
    const time = async (n: number) => {
      const began = performance.now()
      await read(make(n))
      return performance.now() - began
    }
    await time(1_000)
    // What grows with the square takes a minute and more.
    expect(await time(40_000)).toBeLessThan(15_000)
  })
})

const list = (length: number, item: (at: number) => string): string =>
  Array.from({ length }, (_, at) => `- ${item(at)}`).join('\n')
