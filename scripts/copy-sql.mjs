// The database's statements, and the policies of the demo, are files of their own; the build takes them along.
import { cpSync } from 'node:fs'

for (const folder of ['migrations', 'functions', 'statements']) {
  cpSync(`src/ledger/postgres/${folder}`, `dist/src/ledger/postgres/${folder}`, {
    recursive: true,
    filter: (source) => !source.endsWith('.ts'),
  })
}
cpSync('examples/billing/policies', 'dist/examples/billing/policies', { recursive: true })
