// All frozen families, by the rule they freeze.
import { admissions, swept } from './admissions.ts'
import { approvals } from './approved.ts'
import { claims } from './claims.ts'
import { decisions } from './decisions.ts'
import { entries, sweptEntries } from './entries.ts'
import { histories } from './histories.ts'
import { refusals } from './refusals.ts'
import { resolutions } from './resolutions.ts'
import type { Family } from './rows.ts'
import { sagaSlots } from './saga-slots.ts'
import { settles } from './settles.ts'
import { standing } from './standing.ts'
import { verifications } from './verifications.ts'
import { windows } from './windows.ts'

/** Held to by both engines. Resolutions first: of a call that is not held, all operations of a database are read. */
export const families: readonly Family[] = [
  ...resolutions,
  ...admissions,
  ...histories,
  ...refusals,
  ...settles,
  ...entries,
  ...standing,
  ...windows,
  ...decisions,
  ...approvals,
  ...sagaSlots,
  ...verifications,
]

/** Postgres alone sweeps what is past its time. */
export const sweptFamilies: readonly Family[] = [swept, sweptEntries]

/** Postgres alone has owners that outlive a process. In a database of their own: what others leave pending would be given to them. */
export const claimFamilies: readonly Family[] = claims
