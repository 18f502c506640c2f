// The table of domains: one per JSON type, in the order in which examples are preferred.

import type { JsonType } from '../../schema/json-type.ts'
import { openLists } from '../lists/lists.ts'
import { openFinite } from '../numbers/finite.ts'
import { openNumbers } from '../numbers/numbers.ts'
import { openRecords } from '../objects/records.ts'
import { openTexts } from '../texts/texts.ts'
import type { Domain, Engine } from './engine.ts'

export const domains: Readonly<Record<JsonType, (engine: Engine) => Domain>> = {
  null: () => openFinite([null]),
  boolean: () => openFinite([true, false]),
  number: openNumbers,
  string: openTexts,
  array: openLists,
  object: openRecords,
}

export const jsonTypes = Object.keys(domains) as readonly JsonType[]
