// A process of its own with the versions of the trial tool, on a Postgres ledger. It does what it is told, one line at a time, and answers
// each with one line.
import { createInterface } from 'node:readline'
import { openProviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { ann, inRun, trial, versionOf } from './version-trial.ts'

const [url = ''] = process.argv.slice(2)
const { version } = trial()
const proviso = await openProviso({
  ledger: await postgres(url, { connections: 2 }),
  tools: [version('1.0.0'), version('1.1.0'), version('2.0.0')],
  versions: { order: { current: '1.0.0', canary: { version: '2.0.0', share: 0.5 } } },
  sweepMs: 3_600_000,
})

const jobs = new Map<string, (word: string) => Promise<unknown>>([
  ['call', (run) => versionOf(proviso, inRun(run))],
  ['promote', async (to) => (await proviso.versions.promote('order', to, ann)).current],
  ['rollback', async () => (await proviso.versions.rollback('order', ann)).current],
])

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [job = '', ...words] = line.split(' ')
  const answer = await jobs
    .get(job)?.(words.join(' '))
    .catch((error: unknown) => `${error}`)
  process.stdout.write(`${answer}\n`)
}
await proviso.close()
