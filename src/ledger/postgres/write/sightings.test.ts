import { expect, test } from 'vitest'
import { type EpochMs, manualClock } from '../../../json/clock.ts'
import { createSightings } from './sightings.ts'

const at = Date.UTC(2026, 0, 1)

test('an attempt may start for a lease after it was first seen, also where the database says that its lease is over', () => {
  const clock = manualClock()
  const sightings = createSightings(clock, 700)
  // The database's clock has stepped by four minutes: the lease looks long gone.
  const attempt = { nonce: 'a', attempt: 1, leaseUntil: at - 240_000 }
  expect(sightings.lastStart({ ...attempt, at })).toBe(at + 700)
  clock.advance(600)
  expect(sightings.lastStart({ ...attempt, at: at + 600 })).toBe(at + 700)
})

test('a clock that steps between two looks moves the moment along with it', () => {
  const clock = manualClock()
  const sightings = createSightings(clock, 700)
  const attempt = { nonce: 'a', attempt: 1, leaseUntil: at }
  sightings.lastStart({ ...attempt, at })
  clock.advance(100)
  expect(sightings.lastStart({ ...attempt, at: at + 50_100 })).toBe(at + 50_700)
})

test('an admission that is sent again, once its attempt was concluded, is another attempt under the same name, and watched anew', () => {
  const clock = manualClock()
  const sightings = createSightings(clock, 700)
  const long = { nonce: 'a', leaseUntil: at - 240_000 }
  sightings.lastStart({ ...long, attempt: 1, at })
  clock.advance(5_000)
  expect(sightings.lastStart({ ...long, attempt: 1, at: at + 5_000 })).toBe(at + 700)
  expect(sightings.lastStart({ ...long, attempt: 2, at: at + 5_000 })).toBe(at + 5_700)
})

test('a lease that runs on is waited for', () => {
  expect(createSightings(manualClock(), 700).lastStart({ nonce: 'a', attempt: 1, leaseUntil: at + 5_000, at })).toBe(
    at + 5_000,
  )
})

test('a process that has just begun believes a database that speaks of more than a step, and an old one what it has seen itself', () => {
  const clock = manualClock()
  const sightings = createSightings(clock, 700)
  const long = { leaseUntil: at - 3_600_000, at }
  expect(sightings.lastStart({ nonce: 'a', attempt: 1, ...long })).toBe(at - 3_300_000)
  clock.advance(400_000)
  expect(sightings.lastStart({ nonce: 'b', attempt: 1, ...long })).toBe(at + 700)
})

test('an operation is never younger than this process has known it, though the clock of the database was set back', () => {
  const clock = manualClock()
  const sightings = createSightings(clock, 700)
  const operation = { tenant: 'acme', key: 'k', generation: 1, createdAt: at as EpochMs }
  expect(sightings.createdAt({ ...operation, at: at + 5_000 })).toBe(at)
  clock.advance(60_000)
  expect(sightings.createdAt({ ...operation, at: at + 65_000 })).toBe(at)
  // Set back by two minutes: by it, the operation is still to come.
  expect(sightings.createdAt({ ...operation, at: at - 55_000 })).toBe(at - 115_000)
  expect(sightings.createdAt({ ...operation, generation: 2, at: at - 55_000 })).toBe(at - 55_000)
})
