// The prover on the command line: exit codes, what is printed for people and for machines, and files that are not what they should be.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProviso } from './run-proviso.ts'

let cwd = ''
const files: Readonly<Record<string, unknown>> = {
  'open.json': { type: 'object', properties: { summary: { type: 'string' } } },
  'strict.json': { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] },
  'remote.json': { items: { $ref: 'https://example.com/x' } },
  'mail.json': { type: 'string', format: 'email' },
  'text.json': { type: 'string' },
  'nullable.json': { type: 'string', nullable: true },
  'pairs.json': [
    { id: 'right', draft: 'draft7', lhs: { const: 1 }, rhs: { type: 'integer' }, expected: true },
    { id: 'wrong', draft: 'draft2020-12', lhs: { type: 'integer' }, rhs: { const: 1 }, expected: false },
    // Only draft-04 takes a boolean here.
    { id: 'old', draft: 'draft4', lhs: { minimum: 1, exclusiveMinimum: true }, rhs: { minimum: 1 }, expected: true },
    { id: 'format', draft: 'draft7', lhs: { type: 'string' }, rhs: { format: 'email' }, expected: true },
    { id: 'beyond', draft: 'draft7', lhs: { $ref: 'https://example.com/x' }, rhs: true, expected: true },
  ],
  'lying-pairs.json': [
    { id: 'called false', draft: 'draft7', lhs: { const: 1 }, rhs: { type: 'integer' }, expected: false },
    { id: 'called true', draft: 'draft7', lhs: { type: 'integer' }, rhs: { const: 1 }, expected: true },
  ],
  'no-label.json': [{ id: 'a', draft: 'draft7', lhs: true, rhs: true }],
  'no-draft.json': [{ id: 'a', draft: 'draft99', lhs: true, rhs: true, expected: true }],
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'proviso-subschema-'))
  for (const [name, value] of Object.entries(files)) await writeFile(join(cwd, name), JSON.stringify(value))
  await writeFile(join(cwd, 'broken.json'), '{"type":')
  await writeFile(join(cwd, 'proto.json'), '{"type":"object","required":["__proto__"]}')
  await writeFile(join(cwd, 'typed-proto.json'), '{"properties":{"__proto__":{"type":"string"}}}')
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

const run = (...argv: readonly string[]) => runProviso(['subschema', ...argv], { cwd })

describe('proviso subschema', () => {
  it('ends with 0 and says so when it is proven', async () => {
    expect(await run('strict.json', 'open.json')).toMatchObject({ code: 0, out: expect.stringMatching(/^proven/) })
    const { code, out } = await run('strict.json', 'open.json', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ verdict: 'proven' })
  })

  it('ends with 1 and shows the witness, both places and the reason when it is refuted [witness-checked]', async () => {
    const { code, out } = await run('open.json', 'strict.json')
    expect(code).toBe(1)
    expect(out).toContain('refuted  R leaves `summary` optional; L requires it')
    expect(out).toMatch(/witness +\{\}/)
    expect(out).toMatch(/allowed by +R \(open\.json\), at its root/)
    expect(out).toMatch(/refused by +L \(strict\.json\), at \/required/)
    const json = await run('open.json', 'strict.json', '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toEqual({
      verdict: 'refuted',
      witness: {},
      instance_path: '/summary',
      r_pointer: '',
      l_pointer: '/required',
      reason: 'R leaves `summary` optional; L requires it',
    })
  })

  it('ends with 2 and names the construct and its place when it is unsupported', async () => {
    const { code, out } = await run('text.json', 'remote.json')
    expect(code).toBe(2)
    expect(out).toContain('unsupported  $ref: ')
    expect(out).toContain('/items/$ref of L (remote.json)')
    const json = await run('remote.json', 'text.json', '--json')
    expect(json.code).toBe(2)
    expect(JSON.parse(json.out)).toMatchObject({
      verdict: 'unsupported',
      side: 'r',
      pointer: '/items/$ref',
      construct: '$ref',
    })
  })

  it('takes formats for descriptions and says so, unless they are to assert', async () => {
    const annotated = await run('text.json', 'mail.json')
    expect(annotated).toMatchObject({ code: 0, out: expect.stringContaining('assuming format "email"') })
    expect((await run('text.json', 'mail.json', '--formats', 'assert')).code).toBe(1)
  })

  it('reads schemas in the dialect that it is told', async () => {
    expect((await run('nullable.json', 'text.json')).code).toBe(0)
    expect((await run('nullable.json', 'text.json', '--dialect', 'openapi-3.0')).code).toBe(1)
  })

  it('takes one schema from stdin', async () => {
    const piped = await runProviso(['subschema', '-', 'open.json', '--json'], { cwd, input: '{"type":"object"}' })
    expect(piped.code).toBe(1)
    expect(JSON.parse(piped.out)).toMatchObject({ verdict: 'refuted', instance_path: '/summary' })
  })

  it('takes __proto__ for a name like any other', async () => {
    const { code, out } = await run('proto.json', 'typed-proto.json', '--json')
    expect(code).toBe(1)
    expect(out).toMatch(/"__proto__": null/)
  })

  it.each([
    [['nowhere.json', 'open.json'], 'nowhere.json cannot be read (ENOENT)'],
    [['open.json', 'broken.json'], 'broken.json is not JSON'],
    [['.', 'open.json'], 'cannot be read (EISDIR)'],
    [['-', '-'], 'Only one of the two'],
    [['open.json', 'open.json', 'open.json'], 'Two schemas are compared'],
    [['open.json', 'open.json', '--dialect', 'draft-99'], 'There is no such dialect'],
    [['open.json', 'open.json', '--formats', 'maybe'], '--formats takes assert or annotate'],
    [['open.json', 'open.json', '--rows', 'rows.jsonl'], '--rows belongs to'],
    [['score', 'nowhere.json'], 'nowhere.json cannot be read (ENOENT)'],
    [['score', 'open.json'], 'holds no array of pairs'],
    [['score', 'no-label.json'], 'row 1 is no pair: expected is neither true nor false'],
    [['score', 'no-draft.json'], 'row 1 is no pair: draft is missing or not known'],
    [['score', 'pairs.json', '--rows', 'no/such/folder.jsonl'], 'cannot be written'],
    [['score', 'pairs.json', '--dialect', '2020-12'], 'does not go with score'],
  ] as const)('ends with 2 and a sentence for %j', async (argv, said) => {
    const { code, out, err } = await run(...argv)
    expect(err).toContain(said)
    expect(err).not.toMatch(/^\s+at /m)
    expect({ code, out }).toEqual({ code: 2, out: '' })
  })
})

describe('proviso subschema score', () => {
  it('gives the totals at the top, each pair in its own draft, and one row per pair', async () => {
    const { code, out, err } = await run('score', 'pairs.json', '--rows', 'rows.jsonl', '--json')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const totals = { pairs: 5, proven: 3, refuted: 1, unsound: 0, incomplete: 0, unsupported: 1, witnesses_bad: 0 }
    expect(JSON.parse(out)).toMatchObject({
      ...totals,
      median_ms: expect.any(Number),
      p99_ms: expect.any(Number),
      files: [{ file: 'pairs.json', ...totals }],
      disputed: [],
      not_correct: [{ id: 'beyond', standing: 'unsupported' }],
    })
    const rows = (await readFile(join(cwd, 'rows.jsonl'), 'utf8')).trimEnd().split('\n')
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { id: 'right', file: 'pairs.json', draft: 'draft7', expected: true, verdict: 'proven', correct: true },
      {
        id: 'wrong',
        expected: false,
        verdict: 'refuted',
        witness: expect.any(Number),
        reason: expect.any(String),
        correct: true,
      },
      { id: 'old', draft: 'draft4', verdict: 'proven', ms: expect.any(Number) },
      { id: 'format', verdict: 'proven' },
      { id: 'beyond', verdict: 'unsupported', reason: expect.stringContaining('$ref'), correct: false },
    ])
  })

  it('ends with 1 when something is unsound, and adds up several files', async () => {
    const { code, out } = await run('score', 'pairs.json', 'lying-pairs.json', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ pairs: 7, unsound: 1, incomplete: 1, files: [{}, { unsound: 1 }] })
  })

  it('prints a table for people', async () => {
    const { code, out } = await run('score', 'pairs.json', 'lying-pairs.json')
    expect(code).toBe(1)
    expect(out).toMatch(/^file +pairs +proven/)
    expect(out).toMatch(/^all +7 /m)
    expect(out).toContain('unsound  called false')
  })
})
