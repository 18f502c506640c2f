// A fault planted for every rule about providers is found at its place, and a file that fits stays clean.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import type { Provider } from '../../surface/dialects/dialect-table.ts'
import { lookupOrderFile } from '../init/starter.ts'
import { providerLintRules, reportOnProvider } from './provider-rules.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proviso-providers-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

type Properties = Readonly<Record<string, object>>

async function fileOf(name: string, properties: Properties, required = Object.keys(properties)): Promise<string> {
  const document = parse(lookupOrderFile)
  document.contract.identity.name = name
  document.contract.affordance.input_schema = { type: 'object', properties, required, additionalProperties: false }
  const file = join(folder, `${name}.tool.yaml`)
  await writeFile(file, stringify(document))
  return file
}

async function findings(provider: Provider, files: readonly string[]) {
  const reports = await reportOnProvider(files, { load: false }, provider)
  return reports.flatMap((report) => report.findings.map(({ rule, pointer, line }) => ({ rule, pointer, line })))
}

const deep = (levels: number): object =>
  levels === 0
    ? { type: 'string' }
    : { type: 'object', properties: { d: deep(levels - 1) }, required: ['d'], additionalProperties: false }

describe('tools and one provider', () => {
  it('find nothing where everything fits', async () => {
    const file = await fileOf('find_v1', { id: { type: 'string' } })
    for (const provider of ['openai', 'anthropic', 'gemini', 'mcp'] as const) {
      expect([provider, await findings(provider, [file])]).toEqual([provider, []])
    }
  })

  it('say what is refused, told, renamed, too deep and too much for one request', async () => {
    const at = '/contract/affordance/input_schema'
    const planted = [
      ['openai', { a: { type: 'object' } }, 'a_v1', 'provider-refuses-schema', `${at}/properties/a`],
      [
        'openai',
        { a: { type: 'string', minLength: 2 } },
        'b_v1',
        'provider-only-local',
        `${at}/properties/a/minLength`,
      ],
      ['openai', { a: { type: 'string' } }, 'crm.c_v1', 'provider-renames-tool', '/contract/identity/name'],
      ['openai', { a: deep(6) }, 'd_v1', 'provider-schema-deep', at],
    ] as const
    for (const [provider, properties, name, rule, pointer] of planted) {
      const [found] = await findings(provider, [await fileOf(name, properties)])
      expect(found).toEqual({ rule, pointer, line: expect.any(Number) })
    }
    const many = await Promise.all(Array.from({ length: 21 }, (_, index) => fileOf(`t${index}_v1`, {})))
    expect((await findings('anthropic', many)).map(({ rule }) => rule)).toEqual(['provider-request-limit'])
    const seen = new Set([...planted.map(([, , , rule]) => rule), 'provider-request-limit'])
    expect(seen).toEqual(new Set(providerLintRules.map(({ id }) => id)))
  })
})
