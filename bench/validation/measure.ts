// Measures validation on published data: right calls that are refused, wrong ones that run, and whether a refusal names the
// right class and place. Exit 0: all targets met; 1: one is missed; 2: no data.
import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { classOfKind, errorKinds, keywordClasses } from '../../src/schema/field-error.ts'
import { absentFolders, defaultData, nothingJudged, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { closeDeclared } from './close-declared.ts'
import { type JudgedRow, judgeRow, judgeUnknownTool } from './judge-row.ts'
import { type LabelledRow, readModelCalls, readRightCalls } from './labelled-rows.ts'
import { createPlainAjv } from './plain-ajv.ts'
import { runSuite, type SuiteResult } from './suite.ts'
import { summarize } from './summarize.ts'
import { openTrialGround, type TrialGround } from './trial-ground.ts'

const flags = readArguments({
  data: { type: 'string', default: defaultData },
  rows: { type: 'string' },
})
const data = resolve(flags.data)
const started = performance.now()

const parts = {
  bfcl: join(data, 'bfcl'),
  calls: join(data, 'model-calls'),
  suite: join(data, 'json-schema-test-suite'),
}
const absent = absentFolders(Object.values(parts))
if (absent.length === Object.keys(parts).length) {
  report({ skipped: `no data in ${data}`, absent }, flags.json)
  process.exit(nothingJudged)
}

const modelFiles = [
  'bfcl_fc_failures',
  'bfcl_prompt_failures',
  'bfcl_fc_valid_sample',
  'bfcl_fc_unknown_tool',
  'tau_bench',
]
const labelled = [
  ...readRightCalls(join(parts.bfcl, 'calls.jsonl')),
  ...modelFiles.flatMap((name) => readModelCalls(parts.calls, `${name}.jsonl`)),
]
say(`${labelled.length} published calls`)

const ground = await openTrialGround()
const ajv = createPlainAjv()
const schemasRefused = new Map<
  string,
  { readonly id: string; readonly why: string; readonly invalid: string | undefined }
>()

const declared = await judgeAll(labelled, ground, (row) => row.validDeclared, false)
say(`judged against the schemas as declared: ${seconds()} s`)
const closed = await judgeAll(
  labelled.filter(({ validClosed, schema }) => validClosed !== undefined && schema !== undefined),
  ground,
  (row) => row.validClosed === true,
  true,
)
say(`judged against closed schemas: ${seconds()} s`)
if (flags.rows !== undefined) await writeRows(resolve(flags.rows), declared)

const suite = absent.includes(parts.suite) ? undefined : runSuite(parts.suite)
const main = summarize(declared)
const strict = summarize(closed)
const refusedValid = [...schemasRefused.values()].filter(({ invalid }) => invalid === undefined)
const met = {
  false_refusals: main.false_refusals + main.false_refusals_sample + refusedValid.length === 0,
  let_through: main.let_through === 0 && strict.let_through === 0,
  right_path_share: main.right_path_share >= 0.99 && strict.right_path_share >= 0.99,
  suite: suite === undefined || suite.failed === 0,
}

report(
  {
    ...main,
    schemas_refused: [...schemasRefused.values()],
    closed: strict,
    ...(suite === undefined ? { suite: 'absent' } : suiteFigures(suite)),
    keyword_classes: keywordClasses.map(({ keyword, kind, reason }) => ({
      keyword,
      class: kind === 'branch' ? `of the closest alternative` : classOfKind[kind],
      reason,
    })),
    class_order: errorKinds.map((kind) => classOfKind[kind]),
    rows: Object.fromEntries(
      Object.entries(Object.groupBy(labelled, ({ file }) => file)).map(([file, own]) => [file, own?.length]),
    ),
    met,
    absent,
    seconds: seconds(),
    machine: thisMachine(),
  },
  flags.json,
)
process.exitCode = Object.values(met).every(Boolean) ? 0 : 1

async function judgeAll(
  rows: readonly LabelledRow[],
  on: TrialGround,
  isValid: (row: LabelledRow) => boolean,
  close: boolean,
): Promise<readonly JudgedRow[]> {
  const judged: JudgedRow[] = []
  for (const row of rows) {
    if (row.schema === undefined) {
      judged.push(judgeUnknownTool(row, await on.callOffered(row.offered, row.tool, row.text)))
      continue
    }
    const key = `${close ? 'closed' : 'declared'} ${row.file.startsWith('bfcl/') ? 'right' : 'model'} ${row.schema.key}`
    if (schemasRefused.has(key) && !on.has(key)) continue
    const schema = close ? closeDeclared(row.schema.document) : row.schema.document
    const opinion = ajv(key, schema)
    const why = await on.register(key, row.tool, schema)
    if (why !== undefined) {
      schemasRefused.set(key, { id: row.id, why, invalid: opinion.schemaFault })
      if (!on.has(key)) continue
    }
    judged.push(judgeRow({ row, valid: isValid(row), trial: await on.call(key, row.text), opinion }))
  }
  return judged
}

function suiteFigures(result: SuiteResult) {
  const of = (draft: string) => {
    const own = result.rows.filter(({ suite: name }) => name.startsWith(draft))
    const count = (outcome: string) => own.filter((row) => row.outcome === outcome).length
    return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  }
  const { passed, failed, skipped, rows } = result
  return {
    suite: { passed, failed, skipped, 'draft2020-12': of('draft2020-12'), draft7: of('draft7') },
    skipped_share: rows.length === 0 ? 0 : skipped / rows.length,
    suite_failures: rows.filter(({ outcome }) => outcome === 'failed').slice(0, 20),
  }
}

async function writeRows(file: string, rows: readonly JudgedRow[]): Promise<void> {
  const stream = createWriteStream(file)
  for (const row of rows) stream.write(`${JSON.stringify(row)}\n`)
  await new Promise<void>((done, failed) => stream.on('error', failed).end(done))
}

function seconds(): number {
  return Math.round((performance.now() - started) / 100) / 10
}
