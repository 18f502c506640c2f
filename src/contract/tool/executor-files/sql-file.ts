// The sql executor as a tool file declares it: named statements with bound parameters, and the database they run in.
import type { JsonObject, JsonPrimitive } from '../../../json/value.ts'
import { choice, closed, count, flag, text } from '../../closed-schema.ts'

export const sqlScalars = ['text', 'integer', 'numeric', 'boolean', 'date', 'timestamp', 'json'] as const

export type SqlScalar = (typeof sqlScalars)[number]

export type SqlType = SqlScalar | `${SqlScalar}[]`

export const sqlTypes: readonly SqlType[] = [...sqlScalars, ...sqlScalars.map((type) => `${type}[]` as const)]

export const sqlShapes = ['rows', 'row', 'count'] as const

export type SqlShape = (typeof sqlShapes)[number]

export const sqlContextNames = ['tenant', 'user', 'run', 'call_id', 'trace_id', 'idempotency_key'] as const

export type SqlContextName = (typeof sqlContextNames)[number]

export type SqlParameter =
  | {
      /** Pointer into the arguments. */
      readonly argument: string
      readonly type: SqlType
      /** Absent or null is NULL; otherwise it is refused. */
      readonly optional?: boolean | undefined
    }
  | { readonly context: SqlContextName }
  | { readonly value: JsonPrimitive }

export interface SqlStatement {
  readonly name: string
  readonly text: string
  /** A statement that reads is held to that by the database. */
  readonly access: 'read' | 'write'
  /** For $1, $2, … in this order. */
  readonly parameters?: readonly SqlParameter[] | undefined
  /** How many rows it must find or change; otherwise everything is rolled back. */
  readonly expect?: { readonly rows: number | { readonly min?: number; readonly max?: number } } | undefined
  /** `rows`: { rows, truncated }; `row`: the first row, or null; `count`: { count }. */
  readonly returns?: SqlShape | undefined
}

export interface SqlFile {
  readonly kind: 'sql'
  readonly database: 'ledger' | { readonly credential: string; readonly connections?: number }
  readonly statements: readonly SqlStatement[]
  readonly result?: string
  readonly max_rows?: number
  readonly tenant_setting?: string
  readonly role?: string
  readonly version?: string
}

const parameter: JsonObject = {
  description: 'What is bound to the next of $1, $2, …',
  anyOf: [
    closed(
      'An argument.',
      {
        argument: { type: 'string', pattern: '^(/[^/]*)+$', description: 'Pointer of the argument.' },
        type: choice('What it must be; numbers beyond a double are given as text.', sqlTypes),
        optional: flag('Absent or null is NULL; otherwise it is refused.'),
      },
      ['argument', 'type'],
    ),
    closed('What is known of the call.', { context: choice('Which of it.', sqlContextNames) }),
    closed('Always the same.', {
      value: { type: ['string', 'number', 'boolean', 'null'], description: 'The value itself.' },
    }),
  ],
}

const statement: JsonObject = closed(
  'One statement. Arguments are bound to it, and never become part of its text.',
  {
    name: text('Names the statement, and its result where there are several.'),
    text: text(
      'select, insert, update, delete, merge, with or values; one statement, with $1, $2, … for its parameters.',
    ),
    access: choice('A statement that reads is held to that by the database.', ['read', 'write']),
    parameters: { type: 'array', description: 'For $1, $2, … in this order.', items: parameter },
    expect: closed('What must hold, or everything is rolled back.', {
      rows: {
        description: 'How many rows it finds or changes.',
        anyOf: [
          count('Exactly as many.', 0),
          closed('A range.', { min: count('At least.', 0), max: count('At most.', 0) }, []),
        ],
      },
    }),
    returns: choice(
      'rows: { rows, truncated }. row: the first row, or null. count: { count }. By default rows where there are columns, else count.',
      sqlShapes,
    ),
  },
  ['name', 'text', 'access'],
)

export const sqlFileSchema: JsonObject = closed(
  'Statements in a Postgres database, all of a call in one transaction.',
  {
    kind: choice('Named statements with bound parameters.', ['sql']),
    database: {
      description: "The ledger's own database, where the effect commits together with its record; or another.",
      anyOf: [
        { const: 'ledger' },
        closed(
          'Another Postgres database.',
          {
            credential: text('The credential of the binding that holds its URL.'),
            connections: count('How many connections at once; 5 by default.', 1),
          },
          ['credential'],
        ),
      ],
    },
    statements: { type: 'array', description: 'Run in this order.', minItems: 1, items: statement },
    result: text('The statement whose result is the result of the tool; by default its only one, else all by name.'),
    max_rows: count('More rows are not fetched, and the result says so; 1000 by default.', 1),
    tenant_setting: text('The setting that row policies read the tenant from; app.tenant by default.'),
    role: text('The role that the statements run as.'),
    version: text('Which version of these statements it is; an approval is given for one.'),
  },
  ['kind', 'database', 'statements'],
)
