#!/usr/bin/env node
// In a checkout the sources run as they are (Node strips the types); an installed package runs dist/. A Node that is too old for either is
// told so in one line; so this file is written for older ones, too.
import { existsSync, readFileSync } from 'node:fs'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const needed = engines.node.replace('>=', '')
const isOlder = (version, than) => {
  const [a, b] = [version, than].map((each) => each.split('.').map(Number))
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
}

if (isOlder(process.versions.node, needed)) {
  process.stderr.write(
    `proviso needs Node ${needed} or later; this is Node ${process.versions.node}. In a checkout, npm run and npm exec bring their own.\n`,
  )
  process.exitCode = 2
} else {
  const source = new URL('../src/cli/main.ts', import.meta.url)
  const { main } = await import(
    existsSync(source) ? source.href : new URL('../dist/src/cli/main.js', import.meta.url).href
  )
  process.exitCode = await main(process.argv.slice(2))
}
