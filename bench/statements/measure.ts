// Texts of our own on the lexer of Postgres, judged by Proviso and by a real server: what may run, and what may run as a reading.
// Exit 0: no disagreement; 1: there is one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startEmbedded } from '../../src/ledger/embedded/start-embedded.ts'
import { defaultData, readArguments, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { disagrees, judgeTexts } from './judge-texts.ts'
import { statementTexts } from './texts.ts'

const flags = readArguments({ data: { type: 'string', default: defaultData }, rows: { type: 'string' } })
const dir = await mkdtemp(join(tmpdir(), 'proviso-statements-'))
const server = await startEmbedded({ dir, settings: { fsync: 'off' } })
try {
  say(`${statementTexts.length} texts of our own`)
  const judged = await judgeTexts(server.url, statementTexts)
  if (flags.rows !== undefined)
    await writeFile(resolve(flags.rows), judged.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const disagreements = judged.filter(disagrees)
  for (const row of disagreements.slice(0, 20)) say(`DISAGREE ${JSON.stringify(row)}`)
  report(
    {
      texts: judged.length,
      may_run: judged.filter(({ server: [writes] }) => writes).length,
      may_run_as_reading: judged.filter(({ server: [, reads] }) => reads).length,
      disagreements: disagreements.length,
      target: { disagreements: 0 },
      machine: thisMachine(),
    },
    flags.json,
  )
  if (disagreements.length > 0) process.exitCode = 1
} finally {
  await server.release()
  await rm(dir, { recursive: true, force: true })
}
