import { defineConfig } from 'vitest/config'

// Rules of the house, judged from the files alone: they belong to the quick inner loop.
const rules = [
  'test/architecture.test.ts',
  'test/house.test.ts',
  'test/promises.test.ts',
  'test/specification.test.ts',
  'test/docs.test.ts',
]

export default defineConfig({
  test: {
    // Most of what is tested waits for a disk, a socket or another process: no core need stand idle for the runner's sake.
    maxWorkers: '100%',
    projects: [
      // On a machine with other work a second may take five; what must be quick is bounded by processor time, where it is tested.
      { test: { name: 'unit', include: ['src/**/*.test.ts', ...rules], testTimeout: 20_000 } },
      {
        test: {
          name: 'boundary',
          include: ['test/**/*.test.ts'],
          exclude: rules,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // As long as a busy machine needs; what comes sooner is seen sooner.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
})
