import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'] } },
      { test: { name: 'boundary', include: ['test/**/*.test.ts'], testTimeout: 60_000 } },
    ],
  },
})
