// All frozen families, by the rule they freeze.
import { admissions, swept } from './admissions.ts'
import type { Family } from './rows.ts'
import { settles } from './settles.ts'

/** Held to by both engines. */
export const families: readonly Family[] = [...admissions, ...settles]

/** Of what Postgres alone has: a sweep, and owners that outlive a process. */
export const postgresFamilies: readonly Family[] = [swept]
