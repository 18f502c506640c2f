// What an answer claims of an effect, beside what is to be seen in the world: for every executor a double does its deed, or leaves it, and
// then answers anything. Exit 0: no answer contradicts the world, and each says what its row says; 1: one does not; 2: nothing was judged.
import { appendFileSync, writeFileSync } from 'node:fs'
import { nothingJudged, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { type JudgedCase, judgeTable } from './judge-tables.ts'
import { effectTables } from './tables.ts'

const flags = readArguments({
  executors: { type: 'string', default: effectTables.map(({ executor }) => executor).join(',') },
  rows: { type: 'string' },
  // Nothing of it is needed here; every measurement takes it.
  data: { type: 'string' },
})
const { rows } = flags
const tables = effectTables.filter(({ executor }) => flags.executors.split(',').includes(executor))
if (tables.length === 0) {
  say(`--executors takes some of ${effectTables.map(({ executor }) => executor).join(', ')}`)
  process.exit(nothingJudged)
}
if (rows !== undefined) writeFileSync(rows, '')

const started = performance.now()
const judged: JudgedCase[] = []
for (const table of tables) {
  const onCase = (one: JudgedCase) => {
    if (rows !== undefined) appendFileSync(rows, `${JSON.stringify(one)}\n`)
    if (one.fault !== undefined) say(`FAULT: ${JSON.stringify(one)}`)
  }
  const found = await judgeTable(table, { onCase })
  say(`${table.executor}: ${found.length} answers judged`)
  judged.push(...found)
}

const count = (fits: (one: JudgedCase) => boolean) => judged.filter(fits).length
const faults = {
  contradicts_the_world: count(({ fault }) => fault === 'contradicts_the_world'),
  done_twice: count(({ fault }) => fault === 'done_twice'),
  not_what_the_row_says: count(({ fault }) => fault === 'not_what_the_row_says'),
  no_answer: count(({ fault }) => fault === 'no_answer'),
}
report(
  {
    answers: judged.length,
    ...faults,
    by_executor: Object.fromEntries(
      Object.entries(Object.groupBy(judged, ({ executor }) => executor)).map(([executor, all = []]) => [
        executor,
        {
          answers: all.length,
          rows: new Set(all.map(({ came }) => came)).size,
          deeds_done: all.filter(({ deed }) => deed === 'done').length,
          said: Object.fromEntries(
            (['none', 'happened', 'unknown'] as const).map((effect) => [
              effect,
              all.filter(({ said }) => said === effect).length,
            ]),
          ),
          faults: all.filter(({ fault }) => fault !== undefined).length,
        },
      ]),
    ),
    target: { faults: 0 },
    met: Object.values(faults).every((number) => number === 0),
    seconds: Math.round((performance.now() - started) / 100) / 10,
    machine: thisMachine(),
  },
  flags.json,
)
process.exitCode = Object.values(faults).every((number) => number === 0) ? 0 : 1
