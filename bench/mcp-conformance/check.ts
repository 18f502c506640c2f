// Client scenarios of the MCP project's conformance suite that concern calling tools, played with the bare client of the SDK and with the mcp
// executor. Exit 0: the executor passes each check that the bare client passes; 1: it misses one; 2: nothing was judged.
import { appendFileSync, writeFileSync } from 'node:fs'
import { nothingJudged, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { type Marks, missedBy, play, suites, ways } from './play.ts'

const flags = readArguments({
  scenarios: { type: 'string', default: '' },
  rows: { type: 'string' },
  // Nothing of it is needed here; every measurement takes it.
  data: { type: 'string' },
})
const { rows } = flags
const wanted = flags.scenarios === '' ? undefined : new Set(flags.scenarios.split(','))
if (rows !== undefined) writeFileSync(rows, '')

const started = performance.now()
const played: Marks[] = []
const missed: string[] = []
for (const suite of suites) {
  for (const scenario of suite.scenarios.filter((name) => wanted?.has(name) ?? true)) {
    const [bare, executor] = await Promise.all(ways.map((way) => play(suite, scenario, way)))
    if (bare === undefined || executor === undefined) continue
    for (const marks of [bare, executor]) {
      played.push(marks)
      if (rows !== undefined) appendFileSync(rows, `${JSON.stringify(marks)}\n`)
    }
    const less = missedBy(executor, bare)
    missed.push(...less.map((check) => `${suite.name} ${suite.revision} ${scenario}: ${check}`))
    say(`${suite.name} ${suite.revision} ${scenario}: executor ${shown(executor)}, bare client ${shown(bare)}`)
  }
}
for (const check of missed) say(`MISSED: ${check}`)
const judged = played.filter(({ passed, failed, warned }) => passed + failed + warned > 0)
if (judged.length < played.length || played.length === 0) {
  say('Some scenarios came to no checks at all.')
  process.exit(nothingJudged)
}

const of = (way: Marks['way'], { name, revision }: { readonly name: string; readonly revision: string }) => {
  const mine = played.filter((marks) => marks.way === way && marks.suite === name && marks.revision === revision)
  const sum = (count: (marks: Marks) => number) => mine.reduce((total, marks) => total + count(marks), 0)
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    warned: sum(({ warned }) => warned),
  }
}
report(
  {
    scenarios: played.length / ways.length,
    by_suite: suites.map((suite) => ({
      suite: suite.name,
      revision: suite.revision,
      executor: of('executor', suite),
      bare_client: of('sdk', suite),
    })),
    missed,
    target: { missed: 0 },
    met: missed.length === 0,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    machine: thisMachine(),
  },
  flags.json,
)
process.exitCode = missed.length === 0 ? 0 : 1

function shown({ passed, failed, warned }: Marks): string {
  return `${passed} of ${passed + failed + warned}`
}
