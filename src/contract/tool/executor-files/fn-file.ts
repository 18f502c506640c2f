// The function executor as a tool file names it.
import type { JsonObject } from '../../../json/value.ts'
import { choice, closed, text } from '../../closed-schema.ts'

export interface FnFile {
  readonly kind: 'fn'
  readonly module: string
  readonly export: string
  readonly commits?: 'ledger'
  readonly version?: string
}

export const fnFileSchema: JsonObject = closed(
  'A function in this process.',
  {
    kind: choice('A TypeScript or JavaScript function in this process.', ['fn']),
    module: text('Path of the module, relative to this file.'),
    export: text('Name of the exported function (args, context) => result.'),
    commits: choice(
      "It works through context.sql, and its effect commits together with its record, in the ledger's own database.",
      ['ledger'],
    ),
    version: text('Which build of the code runs; an approval is given for one.'),
  },
  ['kind', 'module', 'export'],
)
