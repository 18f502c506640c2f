// Random scenarios, in memory and on Postgres alike, held to a run in which nothing crashes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { randomScenarios } from '../../bench/faults/random-scenarios.ts'
import { startServer } from '../../bench/faults/site.ts'
import { createTally } from '../../bench/faults/tally.ts'
import { openWorld } from '../../bench/faults/world.ts'

const seed = 20_261_115

it('cannot be told from a run without crashes, in memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proviso-world-'))
  const tally = createTally()
  await randomScenarios({ place: { world: openWorld(folder) }, runs: 25, seed, tally })
  rmSync(folder, { recursive: true })
  expect(tally.problems).toEqual([])
  expect(tally.counts().runs).toBeGreaterThan(25)
})

it('cannot be told from a run without crashes, on Postgres', { timeout: 120_000 }, async () => {
  const server = await startServer()
  const site = await server.site()
  const tally = createTally()
  await randomScenarios({ place: site, runs: 10, seed, tally })
  await site.close()
  await server.stop()
  expect(tally.problems).toEqual([])
  expect(tally.counts().recovered).toBeGreaterThan(0)
})
