// The log at size: fills a ledger with calls, lets the real sequencer put them into the log, runs the real audit, and plants every
// tampering; then edits every column of every table, and inserts and deletes rows of each. Prints seconds, leaves a second, and how many of
// all that were found, are declared harmless, or were missed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadOrCreateKey } from '../../src/ledger/log/keys/key-file.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { readArguments, readCount, report, say } from '../arguments.ts'
import { throughProviso } from '../durable/proviso.ts'
import { startServer } from '../durable/server.ts'
import { storeCalls } from '../durable/stored-calls.ts'
import { thisMachine } from '../machine.ts'
import { bindCopies } from './bind-copies.ts'
import { countSwept, sweepColumns } from './columns.ts'
import { plantAll } from './plant-all.ts'

const flags = readArguments({
  calls: { type: 'string', default: '100000' },
  rows: { type: 'string' },
  // Nothing of it is needed here; every measurement takes it.
  data: { type: 'string' },
})
const calls = readCount(flags.calls, 'calls')
const folder = await mkdtemp(join(tmpdir(), 'proviso-measure-audit-'))
const keyFile = join(folder, 'audit.key')
const server = await startServer()

try {
  const url = await server.database('audited')
  // One call through every gate; the others are copies of it, with ids, hashes and names of their own.
  const proviso = await throughProviso(url, 4)
  await proviso.call(1, 1)
  await proviso.close()
  await storeCalls(url, calls)
  await bindCopies(url)
  const size = await measureSize(url)
  say('planting')
  const { cleanFindings, planted } = await plantAll((name) => server.database(name), keyFile)
  say('editing every column of every table')
  const swept = await sweepColumns(await server.database('swept'), join(folder, 'swept.key'))
  const counted = countSwept(swept)
  const rows = [...planted, ...swept]
  if (flags.rows !== undefined) await writeFile(flags.rows, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const missed = planted.filter(({ found }) => !found).map(({ name }) => name)
  const met = {
    verify_under_20_s: size.verify_s < 20,
    nothing_found_where_nothing_is: size.findings === 0 && cleanFindings === 0,
    everything_planted_found: missed.length === 0,
    every_column_found_or_declared: counted.missed.length === 0,
    everything_declared_is_needed: counted.declared_in_vain.length === 0,
  }
  report(
    {
      ...size,
      planted: planted.length,
      found: planted.length - missed.length,
      missed,
      columns: counted,
      met,
      machine: thisMachine(),
    },
    flags.json,
  )
  process.exitCode = Object.values(met).every(Boolean) ? 0 : 1
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

async function measureSize(url: string) {
  const ledger = await postgres(url, { connections: 3, log: { keyFile, sequence: false } })
  const { log } = ledger
  if (log === undefined) throw new Error('This ledger keeps no log.')
  try {
    const sequencing = await timed(() => log.sequence())
    say(`sequenced ${sequencing.value} groups in ${sequencing.seconds} s`)
    const signed = await log.checkpoint()
    const key = await loadOrCreateKey(keyFile)
    if (!signed.ok || !key.ok) throw new Error('Nothing was signed.')
    const kept = signed.checkpoints.map(({ text }) => text)
    const verifying = await timed(() => log.verify({ kept, keys: [key.key.publicKey] }))
    say(`verified ${verifying.value.leaves} leaves in ${verifying.seconds} s`)
    return {
      calls,
      groups: sequencing.value,
      sequence_s: sequencing.seconds,
      sequence_groups_per_s: Math.round(sequencing.value / sequencing.seconds),
      sequence_cpu_us_per_group: perUnit(sequencing.cpuMicros, sequencing.value),
      longest_pause_ms: sequencing.longestPauseMs,
      verify_s: verifying.seconds,
      verify_leaves_per_s: Math.round(verifying.value.leaves / verifying.seconds),
      verify_cpu_us_per_leaf: perUnit(verifying.cpuMicros, verifying.value.leaves),
      verify_peak_heap_mb: verifying.peakHeapMb,
      findings: verifying.value.findings.length,
    }
  } finally {
    await ledger.close()
  }
}

function perUnit(micros: number, count: number): number {
  return Math.round((10 * micros) / Math.max(1, count)) / 10
}

/** How long it took, what it cost this process, and for how long nothing else could run in it. */
async function timed<T>(work: () => Promise<T>) {
  const startedAt = performance.now()
  const usage = process.cpuUsage()
  let longestPauseMs = 0
  let peakHeap = 0
  let turnedAt = startedAt
  const turns = setInterval(() => {
    const now = performance.now()
    longestPauseMs = Math.max(longestPauseMs, now - turnedAt)
    turnedAt = now
    peakHeap = Math.max(peakHeap, process.memoryUsage().heapUsed)
  }, 1)
  const value = await work()
  clearInterval(turns)
  const { user, system } = process.cpuUsage(usage)
  const seconds = Math.round(performance.now() - startedAt) / 1_000
  const peakHeapMb = Math.round(peakHeap / 2 ** 20)
  return { value, seconds, cpuMicros: user + system, longestPauseMs: Math.round(longestPauseMs), peakHeapMb }
}
