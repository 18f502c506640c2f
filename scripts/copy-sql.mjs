// The database's statements are files of their own; the build takes them along.
import { cpSync } from 'node:fs'

for (const folder of ['migrations', 'queries']) {
  cpSync(`src/ledger/postgres/${folder}`, `dist/src/ledger/postgres/${folder}`, { recursive: true })
}
