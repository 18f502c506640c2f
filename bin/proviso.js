#!/usr/bin/env node
// In a checkout the sources run as they are (Node strips the types); an installed package runs dist/.
import { existsSync } from 'node:fs'

const source = new URL('../src/cli/main.ts', import.meta.url)
const { main } = await import(
  existsSync(source) ? source.href : new URL('../dist/src/cli/main.js', import.meta.url).href
)
process.exitCode = await main(process.argv.slice(2))
