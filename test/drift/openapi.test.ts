// Real API descriptions become tools: every operation is taken, its schemas can be read, and the http executor takes its request.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { type DerivedTool, deriveTools } from '../../src/drift/openapi/derive-tools.ts'
import { httpFromFile } from '../../src/execute/executors/http.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { preprocess } from '../../src/schema/preprocess.ts'

const data = join(import.meta.dirname, '../../../shared/data/openapi')
const files = existsSync(data) ? readdirSync(data).filter((name) => name.endsWith('.json')) : []

function toolsIn(file: string): { readonly document: JsonObject; readonly tools: readonly DerivedTool[] } {
  const document = JSON.parse(readFileSync(join(data, file), 'utf8')) as JsonObject
  const derivation = deriveTools(document, 'https://api.example.com')
  if (!derivation.ok) throw new Error(derivation.message)
  return { document, tools: derivation.tools }
}

const operationsIn = ({ paths }: JsonObject): number =>
  Object.values(paths as JsonObject).flatMap((item) =>
    Object.keys(item as JsonObject).filter((method) =>
      /^(?:get|head|post|put|patch|delete|options|trace)$/.test(method),
    ),
  ).length

const readable = (schema: JsonValue | undefined): boolean =>
  schema === undefined || preprocess(schema, { formats: 'annotate' }).ok

describe.skipIf(files.length === 0)('the published descriptions, where the data lies beside the checkout', () => {
  test.each(files)('every operation of %s is a tool of its own name, with schemas that can be read', (file) => {
    const { document, tools } = toolsIn(file)
    expect(tools).toHaveLength(operationsIn(document))
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
    expect(tools.filter(({ name }) => !/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name))).toEqual([])
    const unread = tools.filter(
      ({ input, output, gaps }) => gaps.length === 0 && !(readable(input) && readable(output)),
    )
    expect(unread.map(({ name }) => name)).toEqual([])
  })

  test.each(files)('the http executor takes every request that is planned for %s', (file) => {
    const { tools } = toolsIn(file)
    const planned = tools.flatMap(({ plan }) => (plan === undefined ? [] : [plan]))
    for (const { executor } of planned) expect(httpFromFile(executor).kind).toBe('http')
    for (const tool of tools) expect(tool.plan === undefined).toBe(tool.unsent.length > 0)
    expect(planned.length).toBeGreaterThan(0)
  })
})

it('a description says what it could not take over, with the place', () => {
  const derivation = deriveTools({
    swagger: '2.0',
    host: 'a.example',
    paths: { '/f': { post: { parameters: [{ name: 'f', in: 'formData', type: 'file', required: true }] } } },
  })
  expect(derivation).toMatchObject({
    ok: true,
    tools: [
      {
        gaps: [{ pointer: '/paths/~1f/post/parameters/0/type', construct: 'file' }],
        unsent: [{ construct: 'requestBody' }],
      },
    ],
  })
})
