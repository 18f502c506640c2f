// The page on what can be imported from where: every subpath of the package, with the values that it gives.
import * as aiSdk from '../src/adapters/ai-sdk.ts'
import * as root from '../src/index.ts'
import * as ledger from '../src/ledger/index.ts'
import * as drift from '../src/public/drift.ts'
import * as executors from '../src/public/executors.ts'
import * as people from '../src/public/people.ts'
import * as tables from '../src/public/tables.ts'
import * as testing from '../src/public/testing.ts'
import * as subschema from '../src/subschema/index.ts'
import { code, markdownTable } from './markdown-table.ts'

const subpaths: readonly (readonly [string, string, object])[] = [
  ['proviso', 'to begin with; the types of all but the adapters', root],
  ['proviso/adapters/ai-sdk', 'the tools of AI SDK 7, protected', aiSdk],
  ['proviso/executors', 'executors by data instead of code, and where secrets come from', executors],
  ['proviso/people', 'keys that last, the identity behind a request, what a person is shown', people],
  ['proviso/ledger', 'the engines, what audits them, and the port for others', ledger],
  ['proviso/drift', 'the gate before a session, the handler of a backend, pins in a file, releases', drift],
  ['proviso/subschema', 'the prover', subschema],
  ['proviso/tables', 'the tables that everything derives from', tables],
  ['proviso/testing', 'a clock that a test moves', testing],
]

export const importsTable = (): string =>
  markdownTable(
    ['import from', 'what it is for', 'values'],
    subpaths.map(([name, use, values]) => [code(name), use, Object.keys(values).sort().map(code).join(', ')]),
  )
