// The page on subtyping says where to find what in the prover: every file it names is there.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

it('names only files of the prover that exist', () => {
  const [, section = ''] = readFileSync(resolve(root, 'docs/concepts/subtyping.md'), 'utf8').split('## In the code')
  const rows = section.split('\n').filter((line) => line.startsWith('|') && !line.includes('bench/'))
  const names = rows.flatMap((row) => [...row.matchAll(/`([a-z/-]+)`/g)].map(([, name]) => name as string))
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !existsSync(resolve(root, 'src/subschema', `${name}.ts`)))).toEqual([])
})
